package dev.ebb.host.cluster.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryEntryTest {

  private static final DirectoryEntry TWO_HOLDERS =
      new DirectoryEntry(
          0x0123_4567_89AB_CDEFL,
          1 << 20,
          0xCAFE_BABE,
          Long.MAX_VALUE,
          true,
          false,
          List.of(new Holder(0x1111_1111, false), new Holder(0x2222_2222, true)),
          List.of());

  private static final DirectoryEntry EXPIRES =
      new DirectoryEntry(
          2, 300, -1, 1_000_000, false, false, List.of(new Holder(-1, false)), List.of());

  @Test
  void theEncodingStaysTheSame() {
    assertThat(hex(TWO_HOLDERS))
        .isEqualTo("11 0123456789abcdef 808040 cafebabe 02 11111111 22222222 02".replace(" ", ""));
    assertThat(TWO_HOLDERS.encode()).hasSize(26);
    assertThat(hex(EXPIRES))
        .isEqualTo("14 0000000000000002 ac02 ffffffff c0843d 01 ffffffff 00".replace(" ", ""));
    assertThat(hex(DirectoryEntry.tombstone(5, List.of()))).isEqualTo("120000000000000005");
    assertThat(hex(DirectoryEntry.tombstone(5, List.of(2, 1))))
        .isEqualTo("1a 0000000000000005 02 00000001 00000002".replace(" ", ""));
    assertThat(hex(EXPIRES.with(EXPIRES.holders(), List.of(7))))
        .isEqualTo(
            "1c 0000000000000002 ac02 ffffffff c0843d 01 ffffffff 00 01 00000007".replace(" ", ""));
  }

  private static String hex(DirectoryEntry entry) {
    assertThat(DirectoryEntry.decode(entry.encode())).isEqualTo(entry);
    return HexFormat.of().formatHex(entry.encode());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyEntryAndAnyChangeIsReadAsWritten(long seed) {
    RandomEntries random = new RandomEntries(seed);
    for (int i = 0; i < 2_000; i++) {
      DirectoryEntry entry = random.entry();
      Change change = random.change(i % 2 == 0);

      assertThat(DirectoryEntry.decode(entry.encode())).isEqualTo(entry);
      Change merged = new Change.Merged(entry);
      assertThat(ChangeCodec.decode(ChangeCodec.encode(change))).isEqualTo(change);
      assertThat(ChangeCodec.decode(ChangeCodec.encode(merged))).isEqualTo(merged);
    }
  }

  @Test
  void theEncodingOfChangesStaysTheSame() {
    Change held = new Change.Held(new Holder(7, true), 9, 300, -1, Long.MAX_VALUE, true, Set.of(5));
    assertThat(HexFormat.of().formatHex(ChangeCodec.encode(held)))
        .isEqualTo(
            "01 03 00000007 0000000000000009 ac02 ffffffff 7fffffffffffffff 01 00000005"
                .replace(" ", ""));
    assertThat(HexFormat.of().formatHex(ChangeCodec.encode(new Change.Released(7, true, Set.of()))))
        .isEqualTo("02000000070100");
    assertThat(HexFormat.of().formatHex(ChangeCodec.encode(new Change.Deleted(9))))
        .isEqualTo("030000000000000009");
  }

  @Test
  void everyTruncatedEntryIsReported() {
    byte[] bytes = TWO_HOLDERS.encode();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> DirectoryEntry.decode(cut))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + HexFormat.of().formatHex(cut) + "'");
    }
    assertThatThrownBy(() -> DirectoryEntry.decode(Arrays.copyOf(bytes, bytes.length + 1)))
        .hasMessageContaining("1 bytes too many");
  }

  @ParameterizedTest
  @CsvSource({
    "210000000000000005, 0x21",
    "300000000000000005, 0x30",
    "130000000000000005, no other flags",
    "10000000000000000500000000000000, no holders",
    "100000000000000005000000000002000000010000000100, '00000001' is a holder twice",
    "18000000000000000500000000000100000007000100000007, both a holder and stale",
    "1000000000000000050000000000ffffffff7f, does not fit",
    "100000000000000005ffffffffffffffffffffff, more than 10 bytes",
  })
  void aDamagedEntryIsReportedWithItsBytes(String hex, String why) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertThatThrownBy(() -> DirectoryEntry.decode(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + hex + "'")
        .hasMessageContaining(why);
  }

  @Test
  void damagedBytesGiveAnEntryOrAnError() {
    java.util.Random random = new java.util.Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = TWO_HOLDERS.encode();
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        assertThat(DirectoryEntry.decode(bytes).holders()).isNotNull();
      } catch (IllegalArgumentException reported) {
        assertThat(reported).hasMessageContaining("corrupt");
      }
    }
  }
}
