package dev.ebb.host.resp.session;

import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.ValueReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Outgoing replies, in order. Small ones are gathered; a large value is sent from the pool's
 * memory, piece by piece.
 */
public final class Replies {

  private static final int HEADROOM = 64;
  private static final int LEAST_GATHERED = 512;
  private static final int GATHER = 64 << 10;
  private static final int COPIED = 16 << 10;

  /** What one command may copy. More values are sent from the pool's memory. */
  private static final int MOST_COPIED = 1 << 20;

  /** The memory of a value that waits to be sent from the pool. */
  private static final int WAITING_BYTES = 256;

  private static final int PIECE = 1 << 20;
  private static final int LINE_END = '\r' << Byte.SIZE | '\n';

  private final ChannelHandlerContext context;
  private final Session session;
  private final Queue<Object> queue = new ArrayDeque<>();
  private @Nullable ByteBuf gathered;

  /** The size of the next one: that of the last, so that it need not grow. */
  private int expected = LEAST_GATHERED;

  private long queuedBytes;
  private long copiedBytes;
  private long sentBytes;

  private static final class Sending {
    private final ValueReader reader;
    private final long end;
    private long at;

    Sending(ValueReader reader, long from, long end) {
      this.reader = reader;
      this.at = from;
      this.end = end;
    }
  }

  /** The last piece of a value, in pool memory: the reader is closed once it is sent or dropped. */
  private static final class ValuePiece extends UnpooledDirectByteBuf {

    private final ValueReader reader;

    ValuePiece(ByteBufAllocator allocator, ByteBuffer piece, ValueReader reader) {
      super(allocator, piece, piece.remaining());
      this.reader = reader;
    }

    @Override
    protected void deallocate() {
      super.deallocate();
      reader.close();
    }
  }

  public Replies(ChannelHandlerContext context, Session session) {
    this.context = context;
    this.session = session;
  }

  public void ok() {
    simple("OK");
  }

  public void simple(String text) {
    line('+', text);
  }

  /** Writes an error, its code first. It may contain a client's text, but no line breaks. */
  public void error(String text) {
    line('-', text.replace('\r', ' ').replace('\n', ' '));
  }

  public void integer(long number) {
    number(':', number);
  }

  public void array(int count) {
    number('*', count);
  }

  public void nil() {
    if (session.protocol == 3) {
      line('_', "");
    } else {
      line('$', "-1");
    }
  }

  public void bulk(String text) {
    bulk(Text.bytes(text));
  }

  public void bulk(byte[] bytes) {
    number('$', bytes.length);
    buffer().writeBytes(bytes).writeShort(LINE_END);
  }

  /** A word such as {@code OK}, which clients see as one. */
  public record Status(String text) {}

  /** Returns the fields of a map: names, each with its value. */
  public static Map<String, Object> fields(Object... namesAndValues) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return fields;
  }

  /** Writes nothing, a number, bytes, a status, a text, or a list, a set or a map of these. */
  public void value(@Nullable Object value) {
    switch (value) {
      case null -> nil();
      case Status status -> simple(status.text);
      case Number number -> integer(number.longValue());
      case byte[] bytes -> bulk(bytes);
      case int[] numbers -> {
        array(numbers.length);
        for (int number : numbers) {
          integer(number);
        }
      }
      case List<?> values -> {
        array(values.size());
        values.forEach(this::value);
      }
      case Set<?> values -> {
        number(session.protocol == 3 ? '~' : '*', values.size());
        values.forEach(this::value);
      }
      case Map<?, ?> fields -> {
        boolean maps = session.protocol == 3;
        number(maps ? '%' : '*', maps ? fields.size() : 2L * fields.size());
        fields.forEach((name, each) -> {
          value(name);
          value(each);
        });
      }
      default -> bulk(value.toString());
    }
  }

  /** Writes a text for people; newer clients receive it as a verbatim string. */
  public void text(String text) {
    if (session.protocol == 3) {
      number('=', text.length() + 4L);
      buffer().writeBytes(Text.bytes("txt:" + text)).writeShort(LINE_END);
    } else {
      bulk(text);
    }
  }

  /** Writes bytes of a value; the reader is closed when they are sent. */
  public void value(ValueReader reader, long from, long end) {
    number('$', end - from);
    bytes(reader, from, end);
    lineEnd();
  }

  /** Writes the length of a value whose parts follow, and then {@link #lineEnd}. */
  public void valueOf(long length) {
    number('$', length);
  }

  /** Writes a part of a value; the reader is closed when it is sent. */
  public void part(ValuePart part) {
    bytes(part.reader(), part.range().from(), part.range().to());
  }

  public void lineEnd() {
    buffer().writeShort(LINE_END);
  }

  private void bytes(ValueReader reader, long from, long end) {
    if (end == from || (end - from <= COPIED && copied() < MOST_COPIED)) {
      ByteBuf buffer = buffer().ensureWritable((int) (end - from) + HEADROOM);
      try (reader) {
        for (long at = from; at < end; ) {
          ByteBuffer piece = reader.piece(at, (int) (end - at));
          at += piece.remaining();
          buffer.writeBytes(piece);
        }
      }
    } else {
      gatheredToQueue();
      queue.add(new Sending(reader, from, end));
    }
  }

  public void valueOrNil(@Nullable ValueReader reader) {
    if (reader == null) {
      nil();
    } else {
      value(reader, 0, reader.length());
    }
  }

  /** Sends as much as the socket accepts; true if nothing is left. */
  public boolean send(boolean all) {
    if (gathered != null && (all || gathered.readableBytes() >= GATHER || !queue.isEmpty())) {
      gatheredToQueue();
    }
    while (!queue.isEmpty() && context.channel().isWritable()) {
      Object next = queue.element();
      if (next instanceof Sending value) {
        piece(value);
      } else {
        write((ByteBuf) queue.remove());
      }
    }
    return queue.isEmpty();
  }

  /** Returns the memory of replies that the client has not read, without that of the pool. */
  public long usedBytes() {
    long pending = pendingBytes();
    if (pending == 0) {
      copiedBytes = 0;
    }
    return copied() + Math.min(pending, copiedBytes) + (long) queue.size() * WAITING_BYTES;
  }

  /** Returns whether replies wait for the client. */
  public boolean waiting() {
    return !queue.isEmpty() || pendingBytes() > 0;
  }

  /** Returns a number that changes when the client reads. */
  public long progress() {
    return sentBytes - pendingBytes();
  }

  private long copied() {
    return queuedBytes + (gathered == null ? 0 : gathered.capacity());
  }

  private long pendingBytes() {
    ChannelOutboundBuffer out = context.channel().unsafe().outboundBuffer();
    return out == null ? 0 : out.totalPendingWriteBytes();
  }

  private void write(ByteBuf bytes) {
    int count = bytes.readableBytes();
    queuedBytes -= count;
    copiedBytes += count;
    sentBytes += count;
    var _ = context.write(bytes, context.voidPromise());
  }

  /** Sends the rest, however slowly the client reads, and then closes. */
  public void sendAndClose() {
    gatheredToQueue();
    while (!queue.isEmpty()) {
      if (queue.element() instanceof Sending value) {
        piece(value);
      } else {
        write((ByteBuf) queue.remove());
      }
    }
    var _ = context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  /** Releases the replies that will never be sent. */
  public void drop() {
    gatheredToQueue();
    for (Object next = queue.poll(); next != null; next = queue.poll()) {
      if (next instanceof Sending value) {
        value.reader.close();
      } else if (next instanceof ByteBuf bytes) {
        bytes.release();
      }
    }
  }

  private void piece(Sending value) {
    ByteBuffer piece = value.reader.piece(value.at, (int) Math.min(PIECE, value.end - value.at));
    value.at += piece.remaining();
    sentBytes += piece.remaining();
    ByteBuf bytes;
    if (value.at < value.end) {
      bytes = Unpooled.wrappedBuffer(piece);
    } else if (piece.isDirect()) {
      queue.remove();
      // Pieces are sent in order, so the last one settles all of them.
      bytes = new ValuePiece(context.alloc(), piece, value.reader);
    } else {
      // A copy needs its value no longer.
      queue.remove();
      value.reader.close();
      bytes = Unpooled.wrappedBuffer(piece);
    }
    var _ = context.write(bytes, context.voidPromise());
  }

  private void gatheredToQueue() {
    if (gathered != null) {
      queue.add(gathered);
      queuedBytes += gathered.readableBytes();
      expected = Math.clamp(gathered.readableBytes() + HEADROOM, LEAST_GATHERED, GATHER);
      gathered = null;
    }
  }

  private ByteBuf buffer() {
    if (gathered == null) {
      gathered = context.alloc().buffer(expected);
    }
    return gathered;
  }

  private void number(char kind, long number) {
    ByteBuf buffer = buffer();
    buffer.writeByte(kind);
    if (number < 0) {
      buffer.writeBytes(Text.bytes(Long.toString(number)));
    } else {
      long unit = 1;
      while (number / unit >= 10) {
        unit *= 10;
      }
      for (; unit > 0; unit /= 10) {
        buffer.writeByte((int) ('0' + number / unit % 10));
      }
    }
    buffer.writeShort(LINE_END);
  }

  private void line(char kind, String text) {
    ByteBuf buffer = buffer();
    buffer.writeByte(kind);
    for (int i = 0; i < text.length(); i++) {
      buffer.writeByte(text.charAt(i));
    }
    buffer.writeShort(LINE_END);
  }
}
