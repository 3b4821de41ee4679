package dev.ebb.host.cluster.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.ebb.host.cluster.message.Message.Item;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessageTest {

  @Test
  void theBytesOfAMessageDoNotChange() {
    Message offer = new Message(MessageType.OFFER, 0x01020304, List.of(new Item(bytes("key"), 5)));
    assertThat(HexFormat.of().formatHex(offer.encode()))
        .isEqualTo(
            "00"
                + "01020304"
                + "00000001"
                + "0000000000000005"
                + "00000003"
                + "6b6579"
                + "00000000");
  }

  @Test
  void everyMessageIsDecodedAsItWasEncoded() {
    Random random = new Random(1);
    for (int i = 0; i < 2_000; i++) {
      Message sent = message(random);
      Message received = Message.decode(sent.encode());
      assertThat(received.type()).isEqualTo(sent.type());
      assertThat(received.from()).isEqualTo(sent.from());
      assertThat(received.items()).hasSameSizeAs(sent.items());
      for (int k = 0; k < sent.items().size(); k++) {
        assertThat(received.items().get(k).key()).isEqualTo(sent.items().get(k).key());
        assertThat(received.items().get(k).version()).isEqualTo(sent.items().get(k).version());
        assertThat(received.items().get(k).metadata()).isEqualTo(sent.items().get(k).metadata());
      }
    }
  }

  @Test
  void truncatedAndRandomBytesAreRefused() {
    Random random = new Random(2);
    byte[] whole = message(random).encode();
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatIllegalArgumentException().isThrownBy(() -> Message.decode(cut));
    }
    byte[] wrong = {99, 0, 0, 0, 0, 0, 0, 0, 0};
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Message.decode(wrong))
        .withMessageContaining("'99'");
    byte[] many = {0, 0, 0, 0, 0, 0x7f, 0, 0, 0};
    assertThatIllegalArgumentException().isThrownBy(() -> Message.decode(many));
  }

  private static Message message(Random random) {
    List<Item> items = new ArrayList<>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      byte[] key = new byte[random.nextInt(100)];
      byte[] metadata = new byte[random.nextInt(30)];
      random.nextBytes(key);
      random.nextBytes(metadata);
      items.add(new Item(key, random.nextLong(), metadata));
    }
    MessageType[] types = MessageType.values();
    return new Message(types[random.nextInt(types.length)], random.nextInt(), items);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
