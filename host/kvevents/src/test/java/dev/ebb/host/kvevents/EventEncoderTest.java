package dev.ebb.host.kvevents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventEncoderTest {

  private final EventEncoder encoder = new EventEncoder("CPU");

  private static byte[] chunk(String hash) {
    return ("m@1@0@" + hash + "@half").getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void eventsAreArraysOfTheFieldsThatVllmDeclares() {
    byte[] batch =
        encoder.encode(
            1.5,
            List.of(
                new KvEvent.Stored(chunk("2"), chunk("1")),
                new KvEvent.Stored(chunk("1"), null),
                new KvEvent.Removed(chunk("ffffffffffffffff")),
                new KvEvent.Cleared()));
    assertThat(Subscriber.unpacked(batch).toJson())
        .isEqualTo(
            """
            [1.5,[["BlockStored",[2],1,[],0,null,"CPU",null],\
            ["BlockStored",[1],null,[],0,null,"CPU",null],\
            ["BlockRemoved",[18446744073709551615],"CPU"],\
            ["AllBlocksCleared"]],0]\
            """);
  }

  /** The bytes are those of {@code msgspec.msgpack.encode} of structs with the same fields. */
  @Test
  void theBytesAreThoseOfMsgspec() {
    byte[] batch =
        encoder.encode(
            2.25,
            List.of(
                new KvEvent.Stored(chunk("7f"), chunk("80")),
                new KvEvent.Removed(chunk("8000000000000000")),
                new KvEvent.Cleared()));
    assertThat(HexFormat.of().formatHex(batch))
        .isEqualTo(
            "93cb40020000000000009398ab426c6f636b53746f726564917fcc809000c0a3435055c093ac426c6f636b52656d6f76656491cf8000000000000000a343505591b0416c6c426c6f636b73436c656172656400");
  }

  @Test
  void aGapIsNoEvent() {
    assertThatThrownBy(() -> encoder.encode(0, List.of(new KvEvent.Lost())))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
