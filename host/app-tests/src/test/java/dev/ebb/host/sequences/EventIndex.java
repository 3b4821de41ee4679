package dev.ebb.host.sequences;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMsg;

/** An index that a router keeps from KV events. */
final class EventIndex implements AutoCloseable {

  private final ZContext zeroMq = new ZContext();
  private final ZMQ.Socket replays;

  /** By medium, the stored blocks. */
  private final Map<String, Map<Long, Block>> index = new HashMap<>();

  private long next;

  /** A block as its event describes it. */
  record Block(
      @Nullable Long parent, List<Integer> tokens, String adapter, String salt, int size) {}

  EventIndex(int replayPort) {
    replays = zeroMq.createSocket(SocketType.DEALER);
    replays.setReceiveTimeOut(20_000);
    replays.setRcvHWM(0);
    replays.setHandshakeIvl(500);
    replays.connect("tcp://127.0.0.1:" + replayPort);
  }

  Map<Long, Block> blocks(String medium) {
    return index.computeIfAbsent(medium, any -> new HashMap<>());
  }

  /** Returns whether all blocks before one are there. */
  static boolean isWhole(Map<Long, Block> blocks, Block block) {
    Block on = block;
    while (on != null && on.parent != null) {
      on = blocks.get(on.parent);
    }
    return on != null;
  }

  /** Returns the salt and the tokens of a block and those before it. */
  static List<Object> prefix(Map<Long, Block> blocks, Block block) {
    List<Object> prefix = new ArrayList<>();
    String salt = block.salt;
    Block on = block;
    while (on != null) {
      prefix.addAll(0, on.tokens);
      on = on.parent == null ? null : blocks.get(on.parent);
    }
    prefix.addFirst(salt);
    return prefix;
  }

  @Override
  public void close() {
    zeroMq.close();
  }

  /** Reads the batches since the last one. */
  void read() throws IOException {
    replays.send(new byte[0], ZMQ.SNDMORE);
    replays.send(ByteBuffer.allocate(Long.BYTES).putLong(next).array());
    while (true) {
      ZMsg message = requireNonNull(ZMsg.recvMsg(replays));
      byte[] batch = message.pollLast().getData();
      long sequence = ByteBuffer.wrap(message.pollLast().getData()).getLong();
      if (sequence < 0) {
        return;
      }
      assertThat(sequence).isEqualTo(next);
      next++;
      try (MessageUnpacker in = MessagePack.newDefaultUnpacker(batch)) {
        for (Value event : in.unpackValue().asArrayValue().get(1).asArrayValue()) {
          apply(event.asMapValue().map());
        }
      }
    }
  }

  private void apply(Map<Value, Value> event) {
    String type = text(event, "type");
    if (type.equals("AllBlocksCleared")) {
      index.clear();
      return;
    }
    Map<Long, Block> blocks = index.computeIfAbsent(text(event, "medium"), any -> new HashMap<>());
    List<Long> ids = new ArrayList<>();
    for (Value hash : event.get(ValueFactory.newString("block_hashes")).asArrayValue()) {
      ids.add(hash.asIntegerValue().asBigInteger().longValue());
    }
    if (type.equals("BlockRemoved")) {
      blocks.keySet().removeAll(ids);
      return;
    }
    Value parent = event.get(ValueFactory.newString("parent_block_hash"));
    List<Integer> tokens = new ArrayList<>();
    for (Value token : event.get(ValueFactory.newString("token_ids")).asArrayValue()) {
      tokens.add(token.asIntegerValue().asInt());
    }
    int size = event.get(ValueFactory.newString("block_size")).asIntegerValue().asInt();
    Long before = parent.isNilValue() ? null : parent.asIntegerValue().asBigInteger().longValue();
    if (before != null && blocks == index.get("CPU")) {
      assertThat(blocks).containsKey(before);
    }
    for (int i = 0; i < ids.size(); i++) {
      List<Integer> own = tokens.isEmpty() ? tokens : tokens.subList(i * size, (i + 1) * size);
      blocks.put(
          ids.get(i),
          new Block(before, own, text(event, "lora_name"), text(event, "cache_salt"), size));
      before = ids.get(i);
    }
  }

  private static String text(Map<Value, Value> event, String field) {
    Value value = event.get(ValueFactory.newString(field));
    return value == null || value.isNilValue() ? "" : value.asStringValue().asString();
  }
}
