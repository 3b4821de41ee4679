package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.SharedValues;
import dev.ebb.host.store.value.MemoryRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Commands of clients that write and read values in the memory of the pool. What a connection holds
 * is freed when it ends.
 */
final class SharedMemoryCommands extends SessionCommands implements AutoCloseable {

  /** How many reservations, and how many leases, one connection may hold. */
  static final int MOST_HELD = 4096;

  /** The option of EBB.MAP for short replies of EBB.PLACE and EBB.LEASE. */
  static final String PACKED = "PACKED";

  /** Instead of the number of ranges: nil, and an error as no room is left. */
  private static final long NIL = -1;

  private static final long NO_ROOM = -2;

  private final SharedValues values;
  private final Map<String, Placed> placed = new HashMap<>();
  private final Map<String, SharedValues.Lease> leased = new HashMap<>();

  /** Replies with places of values are one string of numbers. */
  private boolean packed;

  private record Placed(SharedValues.Reservation reservation, PlaceRequest.TimeToLive life) {}

  SharedMemoryCommands(Commands on) {
    super(on);
    values = connections.shared;
  }

  boolean holdsMemory() {
    return !placed.isEmpty() || !leased.isEmpty();
  }

  void run(List<byte[]> arguments) throws CommandException {
    Command command = requireNonNull(Command.of(arguments.getFirst()));
    check(command);
    try {
      switch (command) {
        case EBB_MAP -> map(arguments);
        case EBB_PLACE -> place(PlaceRequest.parse(arguments, connections.options.maxValueBytes()));
        case EBB_COMMIT -> commit(reserved(arguments));
        case EBB_ABORT -> {
          taken(placed, reserved(arguments)).forEach(each -> each.reservation.close());
          replies.ok();
        }
        case EBB_LEASE -> remote.restore(arguments.subList(1, arguments.size()), this::lease);
        case EBB_RELEASE -> {
          List<String> names = held(leased, arguments, "lease", "EBB.LEASE");
          taken(leased, names).forEach(SharedValues.Lease::close);
          replies.ok();
        }
        default -> throw new IllegalArgumentException(command.lower);
      }
    } catch (UserError | DeviceException refused) {
      throw refused(refused);
    }
  }

  @Override
  public void close() {
    placed.values().forEach(each -> each.reservation.close());
    placed.clear();
    leased.values().forEach(SharedValues.Lease::close);
    leased.clear();
  }

  private void map(List<byte[]> arguments) throws CommandException {
    boolean option = arguments.size() > 1;
    if (option && !(arguments.size() == 2 && Text.upper(arguments.get(1)).equals(PACKED))) {
      throw new CommandException(
          "ERR EBB.MAP with '%s'; the only option is %s"
              .formatted(Text.shown(arguments.getLast(), 100), PACKED));
    }
    packed = option;
    Path file = values.file();
    if (file != null) {
      replies.value(List.of(file.toString().getBytes(StandardCharsets.UTF_8), values.bytes()));
      return;
    }
    List<List<Object>> parts =
        values.gpuMemory().stream()
            .map(part -> List.<Object>of(part.offset(), part.bytes(), part.handle()))
            .toList();
    replies.value(List.of(store.device().name(), values.bytes(), parts));
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

  /** Reserves all values, or none if the command is refused. */
  private void place(PlaceRequest request) throws CommandException {
    List<String> names = newNames(placed, keys(request), "reserved", "EBB.COMMIT or EBB.ABORT");
    List<SharedValues.@Nullable Reservation> reservations =
        allOrNone(
            request.values(),
            value -> values.reserve(value.key(), value.bytes(), session.store),
            SharedValues.Reservation::close);
    List<@Nullable List<MemoryRange>> places = new ArrayList<>(names.size());
    for (int i = 0; i < names.size(); i++) {
      SharedValues.Reservation reservation = reservations.get(i);
      if (reservation != null) {
        placed.put(names.get(i), new Placed(reservation, request.life()));
      }
      places.add(reservation == null ? null : reservation.ranges());
    }
    reply(places, connections.options.failsWhenFull() ? SetCommands.FULL : null);
  }

  private static List<byte[]> keys(PlaceRequest request) {
    return request.values().stream().map(PlaceRequest.Value::key).toList();
  }

  private void commit(List<String> names) throws CommandException {
    List<SetOptions> options = new ArrayList<>(names.size());
    for (String name : names) {
      options.add(requireNonNull(placed.get(name)).life.options());
    }
    List<Placed> committed = taken(placed, names);
    for (int i = 0; i < committed.size(); i++) {
      SharedValues.Reservation reservation = committed.get(i).reservation;
      remote.stored(reservation.key(), reservation.commit(options.get(i)));
    }
    List<byte[]> keys = committed.stream().map(each -> each.reservation.key()).toList();
    remote.settled(keys, () -> {}, replies::ok);
  }

  private List<String> reserved(List<byte[]> arguments) throws CommandException {
    return held(placed, arguments, "reservation", "EBB.PLACE");
  }

  /** Leases all values that exist, or none if the command is refused. */
  private void lease(List<byte[]> keys) throws CommandException {
    List<String> names = newNames(leased, keys, "leased", "EBB.RELEASE");
    List<SharedValues.@Nullable Lease> leases = leases(keys);
    List<@Nullable List<MemoryRange>> places = new ArrayList<>(names.size());
    for (int i = 0; i < names.size(); i++) {
      SharedValues.Lease lease = leases.get(i);
      if (lease != null) {
        leased.put(names.get(i), lease);
      }
      places.add(lease == null ? null : lease.ranges());
    }
    reply(places, null);
  }

  private List<SharedValues.@Nullable Lease> leases(List<byte[]> keys) throws CommandException {
    try {
      return allOrNone(keys, key -> values.lease(key, session.store), SharedValues.Lease::close);
    } catch (UserError | DeviceException refused) {
      throw refused(refused);
    }
  }

  private static CommandException refused(RuntimeException cause) {
    return new CommandException(
        "ERR "
            + (cause instanceof UserError refused
                ? String.join("; ", refused.messages())
                : cause.getMessage()));
  }

  /** Returns the names of keys, none of which the connection holds. */
  private static List<String> newNames(
      Map<String, ?> held, List<byte[]> keys, String what, String end) throws CommandException {
    Set<String> names = new LinkedHashSet<>();
    for (byte[] key : keys) {
      String name = Text.of(key);
      if (held.containsKey(name)) {
        throw new CommandException(
            "ERR '%s' is %s by this connection already; send %s first".formatted(name, what, end));
      }
      requireNew(names, name);
    }
    if (held.size() + names.size() > MOST_HELD) {
      throw new CommandException(
          "ERR '%d' more keys: this connection holds '%d' that are %s, and at most %d are allowed; send %s first"
              .formatted(names.size(), held.size(), what, MOST_HELD, end));
    }
    return List.copyOf(names);
  }

  /** Returns the names of a command's keys, all of which the connection holds. */
  private static List<String> held(
      Map<String, ?> held, List<byte[]> arguments, String what, String begin)
      throws CommandException {
    Set<String> names = new LinkedHashSet<>();
    for (byte[] key : arguments.subList(1, arguments.size())) {
      String name = Text.of(key);
      if (!held.containsKey(name)) {
        throw new CommandException(
            "ERR '%s' has no %s of this connection; send %s first".formatted(name, what, begin));
      }
      requireNew(names, name);
    }
    return List.copyOf(names);
  }

  private static void requireNew(Set<String> names, String name) throws CommandException {
    if (!names.add(name)) {
      throw new CommandException("ERR '%s' is given twice; give each key once".formatted(name));
    }
  }

  private static <T> List<T> taken(Map<String, T> held, List<String> names) {
    return names.stream().map(name -> requireNonNull(held.remove(name))).toList();
  }

  /** Frees what was acquired if one of them fails. */
  private static <W, T> List<@Nullable T> allOrNone(
      List<W> wanted, Function<W, @Nullable T> acquire, Consumer<T> free) {
    List<@Nullable T> acquired = new ArrayList<>(wanted.size());
    boolean done = false;
    try {
      for (W each : wanted) {
        acquired.add(acquire.apply(each));
      }
      done = true;
      return acquired;
    } finally {
      if (!done) {
        for (T each : acquired) {
          if (each != null) {
            free.accept(each);
          }
        }
      }
    }
  }

  /** Replies with the ranges of each value, and with an error or nil for those without. */
  private void reply(List<@Nullable List<MemoryRange>> places, @Nullable String without) {
    if (packed) {
      replies.bulk(pack(places, without == null ? NIL : NO_ROOM));
      return;
    }
    replies.array(places.size());
    for (List<MemoryRange> place : places) {
      if (place != null) {
        ranges(place);
      } else if (without != null) {
        replies.error(without);
      } else {
        replies.nil();
      }
    }
  }

  private static byte[] pack(List<@Nullable List<MemoryRange>> places, long without) {
    int numbers = places.size();
    for (List<MemoryRange> place : places) {
      numbers += place == null ? 0 : 2 * place.size();
    }
    ByteBuffer bytes = ByteBuffer.allocate(numbers * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (List<MemoryRange> place : places) {
      bytes.putLong(place == null ? without : place.size());
      if (place != null) {
        place.forEach(range -> bytes.putLong(range.offset()).putLong(range.length()));
      }
    }
    return bytes.array();
  }

  /** Written without lists of numbers: a client maps each value that it reads. */
  private void ranges(List<MemoryRange> ranges) {
    replies.array(ranges.size());
    for (MemoryRange range : ranges) {
      replies.array(2);
      replies.integer(range.offset());
      replies.integer(range.length());
    }
  }
}
