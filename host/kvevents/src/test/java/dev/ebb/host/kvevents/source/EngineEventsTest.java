package dev.ebb.host.kvevents.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.kvevents.tokens.TokenBlock;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes are those of msgspec 0.22 with the declarations of vLLM's events. */
class EngineEventsTest {

  private static final String HASHES =
      "c420000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
          + "c420202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f";
  private static final String REMOVED =
      "c420000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

  private static final String ARRAYS =
      "93cb3ff80000000000009391b0416c6c426c6f636b73436c65617265649cab426c6f636b53746f72656492"
          + HASHES
          + "c0940102ce00011170ceffffffff02c0a3475055a373716c9292a373716cb464796e616d6f2d63616368652d"
          + "73616c743a7431c000ae66756c6c5f617474656e74696f6ec094ac426c6f636b52656d6f76656491"
          + REMOVED
          + "a3475055c000";

  private static final String EVENTS_AS_MAPS =
      "9381a474797065b0416c6c426c6f636b73436c65617265648ba474797065ab426c6f636b53746f726564"
          + "ac626c6f636b5f68617368657392"
          + HASHES
          + "b1706172656e745f626c6f636b5f68617368c0a9746f6b656e5f696473940102ce00011170ceffffffff"
          + "aa626c6f636b5f73697a6502a76c6f72615f6964c0a66d656469756da3475055a96c6f72615f6e616d65"
          + "a373716caa65787472615f6b6579739292a373716cb464796e616d6f2d63616368652d73616c743a7431c0"
          + "a967726f75705f69647800b26b765f63616368655f737065635f6b696e64ae66756c6c5f617474656e7469"
          + "6f6e83a474797065ac426c6f636b52656d6f766564ac626c6f636b5f68617368657391"
          + REMOVED
          + "a66d656469756da3475055";

  private static final String MAPS = "93cb3ff8000000000000" + EVENTS_AS_MAPS + "00";
  private static final String BATCH_AS_MAP =
      "83a27473cb3ff8000000000000a66576656e7473"
          + EVENTS_AS_MAPS
          + "b2646174615f706172616c6c656c5f72616e6b00";

  private final List<TokenBlock> blocks = new ArrayList<>();
  private final EngineEvents events = new EngineEvents(blocks::add);

  private void read(String hex) {
    try {
      events.read(HexFormat.of().parseHex(hex));
    } catch (EngineEvents.Malformed wrong) {
      throw new AssertionError(wrong);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ARRAYS, MAPS, BATCH_AS_MAP})
  void theBlocksOfVllmAreThoseOfItsEvents(String batch) {
    read(batch);
    assertThat(blocks).hasSize(2);
    TokenBlock first = blocks.getFirst();
    TokenBlock second = blocks.getLast();
    assertThat(first.id()).isEqualTo(0x18191a1b1c1d1e1fL);
    assertThat(first.first()).isTrue();
    assertThat(first.tokens()).containsExactly(1, 2);
    assertThat(first.adapter()).isEqualTo("sql");
    assertThat(first.salt()).isEqualTo("t1");
    assertThat(HexFormat.of().formatHex(first.extraKeys()))
        .isEqualTo("92a373716cb464796e616d6f2d63616368652d73616c743a7431");
    assertThat(second.id()).isEqualTo(0x38393a3b3c3d3e3fL);
    assertThat(second.first()).isFalse();
    assertThat(second.parent()).isEqualTo(first.id());
    assertThat(second.tokens()).containsExactly(70_000, -1);
    assertThat(second.extraKeys()).isEmpty();
    assertThat(events.events()).isEqualTo(1);
    assertThat(events.rejected()).isZero();
  }

  @Test
  void hashesMayBeNumbersWithAndWithoutASign() {
    read(
        "93cb3ff0000000000000919cab426c6f636b53746f72656492ff05cffffffffffffffffe92070801c0a3637075c0c0c0c0c0c0");
    assertThat(blocks).extracting(TokenBlock::id).containsExactly(-1L, 5L);
    assertThat(blocks).extracting(TokenBlock::parent).containsExactly(-2L, -1L);
  }

  /** Ebb's tier of vLLM names blocks of other hashes by the SHA-256 of these. */
  @Test
  void aHashThatIsNoSha256IsKnownByBothNames() {
    read(
        "93cb3ff0000000000000919cab426c6f636b53746f72656491c410000102030405060708090a0b0c0d0e0fc0910701c0a3475055c0c0c0c0c0c0");
    assertThat(blocks)
        .extracting(TokenBlock::id)
        .containsExactly(0x08090a0b0c0d0e0fL, 0xdba69928ee3a8991L);
  }

  @Test
  void pairsOfTokensAreCountedAndTheSaltOfSglangIsRead() {
    read(
        "92cb3ff00000000000009298ab426c6f636b53746f72656491050492090902c0a347505581aa63616368655f73616c74a2733196ab426c6f636b53746f7265649106059292010292020302c0");
    assertThat(blocks).singleElement().extracting(TokenBlock::salt).isEqualTo("s1");
    assertThat(events.events()).isEqualTo(2);
    assertThat(events.rejected()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "c0",
        "90",
        // Lists, strings and hashes longer than the message.
        "92cb3ff0000000000000ddffffffff",
        "92cb3ff0000000000000dd7fffffff",
        "92cb3ff00000000000009192ab426c6f636b53746f726564dd7fffffff",
        "92cb3ff00000000000009192ab426c6f636b53746f72656491c67fffffff",
        "92cb3ff000000000000091db7fffffff",
        // An event without a type, and one that is a number.
        "92cb3ff00000000000009181a474797065c0",
        "92cb3ff00000000000009190",
        "92cb3ff00000000000009105",
      })
  void garbageIsRefused(String hex) {
    assertThatThrownBy(() -> events.read(HexFormat.of().parseHex(hex)))
        .isInstanceOf(EngineEvents.Malformed.class);
    assertThat(blocks).isEmpty();
  }

  @Test
  void noChangedByteDoesMoreThanToRefuseTheBatch() {
    Random random = new Random(5);
    for (int i = 0; i < 100_000; i++) {
      byte[] batch = HexFormat.of().parseHex(i % 2 == 0 ? ARRAYS : BATCH_AS_MAP);
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        batch[random.nextInt(batch.length)] = (byte) random.nextInt();
      }
      blocks.clear();
      try {
        events.read(batch);
      } catch (EngineEvents.Malformed refused) {
        assertThat(refused.getMessage()).isNotBlank();
      }
    }
  }
}
