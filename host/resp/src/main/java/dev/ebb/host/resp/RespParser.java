package dev.ebb.host.resp;

import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.InlineWords;
import dev.ebb.host.resp.session.ProtocolException;
import dev.ebb.host.resp.session.Session;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.resp.session.User;
import dev.ebb.host.store.ValueWriter;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Parses commands from bytes in pieces of any size. The value of a SET goes directly to the pool;
 * everything else is small and bounded. Errors are worded as in Redis.
 */
final class RespParser {

  /** The limit of arguments that are not values: keys, options, texts. */
  static final int MAX_ARGUMENT = 1 << 20;

  private static final int MAX_LINE = 64 << 10;
  private static final int MAX_COMMAND = 32 << 20;
  private static final int NONE = -1;

  /** The memory of an argument beside its bytes, and of what replies to it. */
  private static final int ARGUMENT_BYTES = 256;

  /** Longer lists of arguments are not kept for the next command. */
  private static final int USUAL_COUNT = 64;

  private static final int LINE_END = 2;
  private static final byte[] NOTHING = {};

  private final Session session;
  private final long maxValueBytes;
  private List<byte[]> arguments = new ArrayList<>();
  private int count;
  private int argumentBytes;
  private long length = NONE;
  private @Nullable Command command;
  private @Nullable ValueWriter writer;
  private boolean intoPool;
  private long missing;
  private int lineEndMissing;

  private final byte[] number = new byte[20];

  RespParser(Session session, long maxValueBytes) {
    this.session = session;
    this.maxValueBytes = maxValueBytes;
  }

  List<byte[]> arguments() {
    return arguments;
  }

  /** Returns the value of the last command, which the caller commits or closes. */
  @Nullable ValueWriter takeValue() {
    ValueWriter taken = writer;
    writer = null;
    return taken;
  }

  /** Reads on; true if a command is complete, false if bytes are missing. */
  boolean read(ByteBuf in) throws ProtocolException {
    while (true) {
      if (count == 0) {
        if (!start(in)) {
          return false;
        }
        if (count == 0 && !arguments.isEmpty()) {
          return true;
        }
      } else if (!argument(in)) {
        return false;
      } else if (arguments.size() == count) {
        count = 0;
        return true;
      }
    }
  }

  /** Returns whether no command has been started, apart from bytes not read yet. */
  boolean idle() {
    return count == 0;
  }

  /** Returns whether the pool holds the first part of a value. */
  boolean holdsValue() {
    return writer != null && intoPool;
  }

  /** Returns the memory that the current command uses, except for its value. */
  long usedBytes() {
    return argumentBytes + (long) arguments.size() * ARGUMENT_BYTES;
  }

  void executed() {
    if (arguments.size() > USUAL_COUNT) {
      arguments = new ArrayList<>();
    } else {
      arguments.clear();
    }
    argumentBytes = 0;
  }

  void close() {
    executed();
    ValueWriter open = takeValue();
    if (open != null) {
      open.close();
    }
  }

  /**
   * Returns the place for the next bytes, if they belong to a value and are at least so many;
   * otherwise null. The value's line end may follow them.
   */
  @Nullable ByteBuffer place(int least) {
    return writer != null && intoPool && missing >= least ? writer.place(LINE_END) : null;
  }

  /** Accepts bytes written to {@link #place}; {@link #read} continues after them. */
  void placed(int bytes) {
    int part = (int) Math.min(missing, bytes);
    Objects.requireNonNull(writer).placed(part);
    missing -= part;
    lineEndMissing -= bytes - part;
  }

  private boolean start(ByteBuf in) throws ProtocolException {
    executed();
    command = null;
    if (!in.isReadable()) {
      return false;
    }
    boolean array = in.getByte(in.readerIndex()) == '*';
    int end = lineEnd(in, array ? "too big mbulk count string" : "too big inline request");
    if (end < 0) {
      return false;
    }
    if (!array) {
      byte[] line = new byte[contentEnd(in, end) - in.readerIndex()];
      in.readBytes(line).readerIndex(end + 1);
      arguments.addAll(InlineWords.split(line));
      inlineValue();
      return true;
    }
    long number = number(in, end, "invalid multibulk length");
    if (number > Integer.MAX_VALUE) {
      throw new ProtocolException("invalid multibulk length");
    }
    if (number > 10 && session.user == null) {
      throw new ProtocolException("unauthenticated multibulk length");
    }
    count = (int) Math.max(0, number);
    return true;
  }

  private boolean argument(ByteBuf in) throws ProtocolException {
    if (length == NONE && !header(in)) {
      return false;
    }
    if (intoPool) {
      return value(in, writer);
    }
    if (in.readableBytes() < length + 2) {
      return false;
    }
    byte[] bytes = new byte[(int) length];
    // Without Unsafe, Netty's own methods for that make garbage.
    in.internalNioBuffer(in.readerIndex(), bytes.length).get(bytes);
    in.skipBytes(bytes.length + LINE_END);
    if (arguments.isEmpty()) {
      command = Command.of(bytes);
    }
    arguments.add(bytes);
    length = NONE;
    return true;
  }

  private boolean header(ByteBuf in) throws ProtocolException {
    if (!in.isReadable()) {
      return false;
    }
    byte first = in.getByte(in.readerIndex());
    int end = lineEnd(in, "too big bulk count string");
    if (end < 0) {
      return false;
    }
    if (first != '$') {
      throw new ProtocolException("expected '$', got '" + (char) (first & 0xFF) + "'");
    }
    User user = session.user;
    long announced = number(in, end, "invalid bulk length");
    boolean value =
        command != null
            && user != null
            && arguments.size() == command.valueIndex()
            && command.takes(count);
    if (announced < 0 || announced > (value ? maxValueBytes : MAX_ARGUMENT)) {
      throw new ProtocolException("invalid bulk length");
    }
    if (announced > 16384 && session.user == null) {
      throw new ProtocolException("unauthenticated bulk length");
    }
    if (value) {
      if (user != null && mayStore(user, arguments.get(1))) {
        writer = session.store.write(arguments.get(1), announced);
      }
      missing = announced;
      lineEndMissing = LINE_END;
      intoPool = true;
    } else {
      argumentBytes += (int) announced;
      if (argumentBytes > MAX_COMMAND) {
        throw new ProtocolException("invalid bulk length");
      }
    }
    length = announced;
    return true;
  }

  /** Reads a value, and drops it if the user may not store it. */
  private boolean value(ByteBuf in, @Nullable ValueWriter target) {
    int part = (int) Math.min(missing, in.readableBytes());
    if (part > 0) {
      if (target != null) {
        target.write(in.internalNioBuffer(in.readerIndex(), part));
      }
      in.skipBytes(part);
      missing -= part;
    }
    if (missing == 0) {
      int end = Math.min(lineEndMissing, in.readableBytes());
      in.skipBytes(end);
      lineEndMissing -= end;
    }
    if (missing > 0 || lineEndMissing > 0) {
      return false;
    }
    arguments.add(NOTHING);
    length = NONE;
    intoPool = false;
    // The following arguments are options, which are small.
    command = null;
    return true;
  }

  private static boolean mayStore(User user, byte[] key) {
    return user.unlimited || (user.has(UserRight.WRITE) && user.uses(key));
  }

  private void inlineValue() {
    Command typed = arguments.isEmpty() ? null : Command.of(arguments.getFirst());
    User user = session.user;
    if (typed == null
        || typed.valueIndex() < 0
        || !typed.takes(arguments.size())
        || user == null
        || !mayStore(user, arguments.get(1))) {
      return;
    }
    byte[] bytes = arguments.get(typed.valueIndex());
    writer = session.store.write(arguments.get(1), bytes.length);
    writer.write(ByteBuffer.wrap(bytes));
  }

  /** Returns the end of the next line, or -1 if it is incomplete. */
  private static int lineEnd(ByteBuf in, String tooLong) throws ProtocolException {
    int end = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
    int bytes = (end < 0 ? in.writerIndex() : end) - in.readerIndex();
    if (bytes > MAX_LINE) {
      throw new ProtocolException(tooLong);
    }
    return end;
  }

  private static int contentEnd(ByteBuf in, int end) {
    return end > in.readerIndex() && in.getByte(end - 1) == '\r' ? end - 1 : end;
  }

  /** Parses a line with a type byte and a number. */
  private long number(ByteBuf in, int end, String otherwise) throws ProtocolException {
    int digits = contentEnd(in, end) - in.readerIndex() - 1;
    if (digits > number.length) {
      throw new ProtocolException(otherwise);
    }
    in.internalNioBuffer(in.readerIndex() + 1, digits).get(number, 0, digits);
    in.readerIndex(end + 1);
    try {
      return Text.integer(number, 0, digits, otherwise);
    } catch (CommandException notANumber) {
      throw new ProtocolException(otherwise);
    }
  }
}
