package dev.ebb.host.resp;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.MemoryRange;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.SetOptions.Condition;
import dev.ebb.host.store.SetOptions.Expiry;
import dev.ebb.host.store.SetResult;
import dev.ebb.host.store.SharedValues;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Commands of clients that write and read values in the memory of the pool. What a connection holds
 * is freed when it ends.
 */
final class SharedMemoryCommands implements AutoCloseable {

  /** How many reservations, and how many leases, one connection may hold. */
  static final int MOST_HELD = 4096;

  private final Connections connections;
  private final Session session;
  private final Replies replies;
  private final SharedValues values;
  private final Map<String, Placed> placed = new HashMap<>();
  private final Map<String, SharedValues.Lease> leased = new HashMap<>();

  private record Placed(SharedValues.Reservation reservation, TimeToLive life) {}

  /** The time to live of a value, which begins when it is committed. */
  private record TimeToLive(@Nullable String unit, long amount) {

    static final TimeToLive NONE = new TimeToLive(null, 0);

    SetOptions options() throws CommandException {
      return unit == null
          ? SetOptions.PLAIN
          : new SetOptions(
              Condition.ALWAYS, Expiry.AT, Expiries.at(amount, unit, "ebb.place", false), false);
    }
  }

  SharedMemoryCommands(Connections connections, Session session, Replies replies) {
    this.connections = connections;
    this.session = session;
    this.replies = replies;
    values = connections.shared;
  }

  void run(Command command, List<byte[]> arguments) throws CommandException {
    check(command);
    try {
      switch (command) {
        case EBB_MAP -> map();
        case EBB_PLACE -> place(arguments);
        case EBB_COMMIT -> commit(Text.of(arguments.get(1)));
        case EBB_ABORT -> {
          taken(Text.of(arguments.get(1))).reservation.close();
          replies.ok();
        }
        case EBB_LEASE -> lease(arguments.get(1));
        case EBB_RELEASE -> release(Text.of(arguments.get(1)));
        default -> throw new IllegalArgumentException(command.lower);
      }
    } catch (UserError refused) {
      throw new CommandException("ERR " + String.join("; ", refused.messages()));
    } catch (DeviceException refused) {
      throw new CommandException("ERR " + refused.getMessage());
    }
  }

  /** Frees what the connection holds. */
  @Override
  public void close() {
    placed.values().forEach(each -> each.reservation.close());
    placed.clear();
    leased.values().forEach(SharedValues.Lease::close);
    leased.clear();
  }

  private void map() {
    Path file = values.file();
    if (file != null) {
      replies.array(2);
      replies.bulk(file.toString().getBytes(StandardCharsets.UTF_8));
      replies.integer(values.bytes());
      return;
    }
    List<SharedValues.GpuMemory> memory = values.gpuMemory();
    replies.array(3);
    replies.bulk(connections.store.device());
    replies.integer(values.bytes());
    replies.array(memory.size());
    for (SharedValues.GpuMemory part : memory) {
      replies.array(3);
      replies.integer(part.offset());
      replies.integer(part.bytes());
      replies.bulk(part.handle());
    }
  }

  private void check(Command command) throws CommandException {
    if (!session.unix) {
      throw new CommandException(
          "ERR '%s' needs a connection over the Unix domain socket; connect to ebb.server.unix-socket"
              .formatted(command.lower));
    }
    if (values.file() == null && !values.onGpu()) {
      throw new CommandException(
          "ERR '%s' needs shared memory; set ebb.server.shared-memory".formatted(command.lower));
    }
  }

  private void place(List<byte[]> arguments) throws CommandException {
    byte[] key = arguments.get(1);
    String name = Text.of(key);
    long length = Text.integer(arguments.get(2));
    if (length < 0 || length > connections.options.maxValueBytes()) {
      throw new CommandException(
          "ERR value size '%d' must be 0 to %d bytes, see ebb.server.max-value"
              .formatted(length, connections.options.maxValueBytes()));
    }
    TimeToLive life = timeToLive(arguments);
    requireRoom(placed, name, "reserved", "EBB.COMMIT or EBB.ABORT");
    SharedValues.Reservation reservation = values.reserve(key, length, session.store);
    if (reservation != null) {
      placed.put(name, new Placed(reservation, life));
      ranges(reservation.ranges());
    } else if (connections.options.failsWhenFull()) {
      replies.error(SetCommands.FULL);
    } else {
      replies.nil();
    }
  }

  private static TimeToLive timeToLive(List<byte[]> arguments) throws CommandException {
    if (arguments.size() == 3) {
      return TimeToLive.NONE;
    }
    String unit = Text.upper(arguments.get(3));
    if (arguments.size() != 5 || !List.of("EX", "PX").contains(unit)) {
      throw CommandException.syntax();
    }
    TimeToLive life = new TimeToLive(unit, Text.integer(arguments.get(4)));
    var _ = life.options();
    return life;
  }

  private void commit(String name) throws CommandException {
    Placed value = taken(name);
    try (SharedValues.Reservation reservation = value.reservation) {
      SetResult result = reservation.commit(value.life.options());
      if (result.outcome() == SetResult.Outcome.STORED || !connections.options.failsWhenFull()) {
        replies.ok();
      } else {
        replies.error(SetCommands.FULL);
      }
    }
  }

  private Placed taken(String name) throws CommandException {
    Placed value = placed.remove(name);
    if (value == null) {
      throw missing(name, "reservation", "EBB.PLACE");
    }
    return value;
  }

  private void lease(byte[] key) throws CommandException {
    String name = Text.of(key);
    requireRoom(leased, name, "leased", "EBB.RELEASE");
    SharedValues.Lease lease = values.lease(key, session.store);
    if (lease == null) {
      replies.nil();
    } else {
      leased.put(name, lease);
      ranges(lease.ranges());
    }
  }

  private void release(String name) throws CommandException {
    SharedValues.Lease lease = leased.remove(name);
    if (lease == null) {
      throw missing(name, "lease", "EBB.LEASE");
    }
    lease.close();
    replies.ok();
  }

  private static void requireRoom(Map<String, ?> held, String name, String what, String end)
      throws CommandException {
    if (held.containsKey(name)) {
      throw new CommandException(
          "ERR '%s' is %s by this connection already; send %s first".formatted(name, what, end));
    }
    if (held.size() == MOST_HELD) {
      throw new CommandException(
          "ERR '%s': this connection holds '%d' keys that are %s, the most allowed; send %s first"
              .formatted(name, MOST_HELD, what, end));
    }
  }

  private static CommandException missing(String name, String what, String begin) {
    return new CommandException(
        "ERR '%s' has no %s of this connection; send %s first".formatted(name, what, begin));
  }

  private void ranges(List<MemoryRange> ranges) {
    replies.array(ranges.size());
    for (MemoryRange range : ranges) {
      replies.array(2);
      replies.integer(range.offset());
      replies.integer(range.length());
    }
  }
}
