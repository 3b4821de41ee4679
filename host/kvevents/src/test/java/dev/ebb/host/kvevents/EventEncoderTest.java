package dev.ebb.host.kvevents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.server.KvEventsFormat;
import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.kvevents.tokens.TokenTable;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventEncoderTest {

  private final BlockAnnouncer announcer =
      new BlockAnnouncer(new TokenTable(1 << 12, 0), new WaitingChunks(0));
  private final EventEncoder encoder = new EventEncoder(KvEventsFormat.ARRAY, "CPU");
  private final EventEncoder maps = new EventEncoder(KvEventsFormat.MAP, "CPU");

  private static byte[] chunk(String hash) {
    return ("m@1@0@" + hash + "@half").getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void eventsAreArraysOfTheFieldsThatVllmDeclares() {
    byte[] batch =
        encoder.encode(
            1.5,
            announcer.events(
                List.of(
                    new KvEvent.Stored(chunk("2"), chunk("1"), KvEvent.ONLY_GROUP, null),
                    new KvEvent.Stored(chunk("1"), null, KvEvent.ONLY_GROUP, null),
                    new KvEvent.Removed(chunk("ffffffffffffffff"), KvEvent.ONLY_GROUP),
                    new KvEvent.Cleared())));
    assertThat(Subscriber.unpacked(batch).toJson())
        .isEqualTo(
            """
            [1.5,[["BlockStored",[2],1,[],0,null,"CPU",null],\
            ["BlockStored",[1],null,[],0,null,"CPU",null],\
            ["BlockRemoved",[18446744073709551615],"CPU"],\
            ["AllBlocksCleared"]],0]\
            """);
  }

  private static final List<KvEvent> OF_CHUNKS =
      List.of(
          new KvEvent.Stored(chunk("7f"), chunk("80"), KvEvent.ONLY_GROUP, null),
          new KvEvent.Removed(chunk("8000000000000000"), KvEvent.ONLY_GROUP),
          new KvEvent.Cleared());

  /** The bytes are those of {@code msgspec.msgpack.encode} of structs with the same fields. */
  @Test
  void theBytesAreThoseOfMsgspec() {
    assertThat(HexFormat.of().formatHex(encoder.encode(2.25, announcer.events(OF_CHUNKS))))
        .isEqualTo(
            "93cb40020000000000009398ab426c6f636b53746f726564917fcc809000c0a3435055c093ac426c6f636b52656d6f76656491cf8000000000000000a343505591b0416c6c426c6f636b73436c656172656400");
  }

  @Test
  void theBytesOfMapsAreThoseOfMsgspec() {
    assertThat(HexFormat.of().formatHex(maps.encode(2.25, announcer.events(OF_CHUNKS))))
        .isEqualTo(
            "93cb40020000000000009388a474797065ab426c6f636b53746f726564ac626c6f636b5f68617368"
                + "6573917fb1706172656e745f626c6f636b5f68617368cc80a9746f6b656e5f69647390aa626c6f63"
                + "6b5f73697a6500a76c6f72615f6964c0a66d656469756da3435055a96c6f72615f6e616d65c083a4"
                + "74797065ac426c6f636b52656d6f766564ac626c6f636b5f68617368657391cf8000000000000000"
                + "a66d656469756da343505581a474797065b0416c6c426c6f636b73436c656172656400");
  }

  private static final List<KvEvent> OF_GROUPS =
      List.of(
          new KvEvent.Stored(chunk("7f"), chunk("80"), 0, ObjectGroup.Kind.STATE),
          new KvEvent.Stored(chunk("7f"), chunk("80"), 1, ObjectGroup.Kind.FULL),
          new KvEvent.Stored(chunk("7f"), null, 2, ObjectGroup.Kind.WINDOW),
          new KvEvent.Stored(chunk("7f"), null, 40, null),
          new KvEvent.Removed(chunk("7f"), 0));

  @Test
  void theBytesOfObjectGroupsAreThoseOfMsgspec() {
    assertThat(HexFormat.of().formatHex(encoder.encode(2.25, announcer.events(OF_GROUPS))))
        .isEqualTo(
            "93cb4002000000000000959cab426c6f636b53746f726564917fcc809000c0a3435055c0c000a56d"
                + "616d6261c09cab426c6f636b53746f726564917fcc809000c0a3435055c0c001ae66756c6c5f6174"
                + "74656e74696f6ec09cab426c6f636b53746f726564917fc09000c0a3435055c0c002ae736c696469"
                + "6e675f77696e646f77c09cab426c6f636b53746f726564917fc09000c0a3435055c0c028c0c094ac"
                + "426c6f636b52656d6f766564917fa34350550000");
  }

  @Test
  void theBytesOfMapsOfObjectGroupsAreThoseOfMsgspec() {
    assertThat(HexFormat.of().formatHex(maps.encode(2.25, announcer.events(OF_GROUPS))))
        .isEqualTo(
            "93cb4002000000000000958aa474797065ab426c6f636b53746f726564ac626c6f636b5f68617368"
                + "6573917fb1706172656e745f626c6f636b5f68617368cc80a9746f6b656e5f69647390aa626c6f63"
                + "6b5f73697a6500a76c6f72615f6964c0a66d656469756da3435055a96c6f72615f6e616d65c0a967"
                + "726f75705f69647800b26b765f63616368655f737065635f6b696e64a56d616d62618aa474797065"
                + "ab426c6f636b53746f726564ac626c6f636b5f686173686573917fb1706172656e745f626c6f636b"
                + "5f68617368cc80a9746f6b656e5f69647390aa626c6f636b5f73697a6500a76c6f72615f6964c0a6"
                + "6d656469756da3435055a96c6f72615f6e616d65c0a967726f75705f69647801b26b765f63616368"
                + "655f737065635f6b696e64ae66756c6c5f617474656e74696f6e8aa474797065ab426c6f636b5374"
                + "6f726564ac626c6f636b5f686173686573917fb1706172656e745f626c6f636b5f68617368c0a974"
                + "6f6b656e5f69647390aa626c6f636b5f73697a6500a76c6f72615f6964c0a66d656469756da34350"
                + "55a96c6f72615f6e616d65c0a967726f75705f69647802b26b765f63616368655f737065635f6b69"
                + "6e64ae736c6964696e675f77696e646f7789a474797065ab426c6f636b53746f726564ac626c6f63"
                + "6b5f686173686573917fb1706172656e745f626c6f636b5f68617368c0a9746f6b656e5f69647390"
                + "aa626c6f636b5f73697a6500a76c6f72615f6964c0a66d656469756da3435055a96c6f72615f6e61"
                + "6d65c0a967726f75705f6964782884a474797065ac426c6f636b52656d6f766564ac626c6f636b5f"
                + "686173686573917fa66d656469756da3435055a967726f75705f6964780000");
  }

  @Test
  void aGapIsNoEvent() {
    assertThatThrownBy(() -> announcer.events(List.of(new KvEvent.Lost())))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
