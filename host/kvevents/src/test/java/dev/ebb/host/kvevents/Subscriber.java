package dev.ebb.host.kvevents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.msgpack.core.MessagePack;
import org.msgpack.value.ArrayValue;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMsg;

/** A router's side: messages as frames, batches as values of MessagePack. */
final class Subscriber implements AutoCloseable {

  private static final int LIMIT_MILLIS = 60_000;
  private static final int HANDSHAKE_MILLIS = 500;

  private final ZContext context = new ZContext();

  record Message(String topic, long sequence, ArrayValue batch) {

    /** The events of the batch as JSON. */
    List<String> events() {
      List<String> events = new ArrayList<>();
      batch.get(1).asArrayValue().forEach(event -> events.add(event.toJson()));
      return events;
    }
  }

  ZMQ.Socket socket(SocketType type) {
    ZMQ.Socket socket = context.createSocket(type);
    socket.setReceiveTimeOut(LIMIT_MILLIS);
    socket.setLinger(0);
    // As in the publisher: a lost greeting costs this time only.
    socket.setHandshakeIvl(HANDSHAKE_MILLIS);
    return socket;
  }

  ZMQ.Socket subscribe(String endpoint, String topic) {
    ZMQ.Socket socket = socket(SocketType.SUB);
    socket.setRcvHWM(0);
    socket.subscribe(topic.getBytes(StandardCharsets.UTF_8));
    socket.connect(endpoint);
    return socket;
  }

  static Message receive(ZMQ.Socket socket) {
    List<byte[]> frames = frames(socket);
    if (frames.size() != 3) {
      throw new AssertionError(frames.size() + " frames");
    }
    return new Message(
        new String(frames.get(0), StandardCharsets.UTF_8),
        ByteBuffer.wrap(frames.get(1)).getLong(),
        unpacked(frames.get(2)));
  }

  static List<byte[]> frames(ZMQ.Socket socket) {
    ZMsg message = ZMsg.recvMsg(socket);
    if (message == null) {
      throw new AssertionError("no message");
    }
    List<byte[]> frames = new ArrayList<>();
    message.forEach(frame -> frames.add(frame.getData()));
    return frames;
  }

  /** The batches that the publisher still has, from a sequence number on. */
  List<Message> replay(String endpoint, long from) {
    ZMQ.Socket socket = socket(SocketType.DEALER);
    socket.setRcvHWM(0);
    socket.connect(endpoint);
    socket.send(new byte[0], ZMQ.SNDMORE);
    socket.send(ByteBuffer.allocate(8).putLong(from).array());
    List<Message> messages = new ArrayList<>();
    while (true) {
      List<byte[]> frames = frames(socket);
      // The first is empty; a topic may follow.
      byte[] topic = frames.size() == 4 ? frames.get(1) : new byte[0];
      byte[] payload = frames.getLast();
      long sequence = ByteBuffer.wrap(frames.get(frames.size() - 2)).getLong();
      if (sequence == -1 && payload.length == 0) {
        socket.close();
        return messages;
      }
      messages.add(
          new Message(new String(topic, StandardCharsets.UTF_8), sequence, unpacked(payload)));
    }
  }

  static ArrayValue unpacked(byte[] payload) {
    try (var unpacker = MessagePack.newDefaultUnpacker(payload)) {
      ArrayValue batch = unpacker.unpackValue().asArrayValue();
      if (unpacker.hasNext()) {
        throw new AssertionError("more than one value");
      }
      return batch;
    } catch (IOException wrong) {
      throw new UncheckedIOException(wrong);
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
