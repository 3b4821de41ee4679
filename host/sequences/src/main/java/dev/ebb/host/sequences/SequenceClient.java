package dev.ebb.host.sequences;

import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.prune.TokenEviction;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.request.SequenceStateException;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.resp.SequenceService;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.tokens.signals.Observations;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One connection of an engine in another process, with its open sequences. */
final class SequenceClient implements SequenceService.Client {

  /** How many sequences one connection may have open. */
  static final int MOST_SEQUENCES = 4096;

  private static final String OK = "OK";

  /** No active token policy reads what was observed. */
  private static final String UNUSED = "UNUSED";

  private static final Set<String> OPTIONS =
      Set.of("TENANT", "PRIORITY", "LABEL", "ADAPTER", "SALT", "RESERVE", "WAIT");
  private static final int LONGEST_WAIT = 60_000;

  private final SequenceServer server;
  private final PriorityScale priorities;
  private final ReentrantLock lock = new ReentrantLock();

  // The following fields are written under the lock above.

  private final Map<Long, RemoteSequence> open = new HashMap<>();
  private String model = "";
  private Observations observations = Observations.NONE;
  private volatile @Nullable Ebb ebb;
  private volatile boolean holds;
  private volatile boolean closed;

  SequenceClient(SequenceServer server, PriorityScale priorities) {
    this.server = server;
    this.priorities = priorities;
  }

  @Override
  public boolean holdsMemory() {
    return holds;
  }

  /** Returns whether it has stated its model. */
  boolean hasModel() {
    return ebb != null;
  }

  @Override
  public CompletionStage<Object> run(List<byte[]> words, @Nullable String tenant) {
    return CompletableFuture.supplyAsync(() -> locked(new Words(words), tenant), server.threads);
  }

  @Override
  public void close() {
    closed = true;
    server.threads.execute(this::abortAll);
  }

  /** Aborts all sequences, after the current command. */
  void abortAll() {
    closed = true;
    lock.lock();
    try {
      open.values()
          .forEach(each -> {
            each.pause();
            each.sequence.close();
          });
      open.clear();
      holds = false;
      server.left(this);
    } finally {
      lock.unlock();
    }
  }

  private Object locked(Words words, @Nullable String tenant) {
    lock.lock();
    try {
      if (closed) {
        throw new CommandException("ERR the connection has ended");
      }
      return execute(words, tenant);
    } catch (CommandException refused) {
      throw new CompletionException(refused);
    } finally {
      holds = !open.isEmpty();
      lock.unlock();
    }
  }

  private Object execute(Words words, @Nullable String tenant) throws CommandException {
    if (words.operation().equals("MODEL")) {
      return model(words);
    }
    Ebb running = ebb;
    if (running == null) {
      throw new CommandException(
          "ERR this connection has not stated its model; send EBB.SEQ MODEL first");
    }
    try {
      if (words.operation().equals("OPEN")) {
        return open(running, words, tenant);
      }
      return of(running, words);
    } catch (OutOfBlocksException full) {
      throw new CommandException("OOM " + full.getMessage());
    } catch (UserError refused) {
      throw new CommandException("ERR " + String.join("; ", refused.messages()));
    } catch (IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException wrong) {
      throw new CommandException("ERR " + wrong.getMessage());
    }
  }

  /** States the model, and returns where its memory is. */
  private Object model(Words words) throws CommandException {
    if (!open.isEmpty()) {
      throw new CommandException(
          "ERR '%d' sequences of another model are open; end them first".formatted(open.size()));
    }
    String name = words.name("model");
    EngineModel stated = EngineModel.parse(words);
    Ebb before = ebb;
    ebb = null;
    try {
      before = server.open(stated);
      model = name;
      observations = stated.observations();
    } finally {
      // A refused model leaves the previous one, unless that has been replaced.
      ebb = before == null || !before.isOpen() ? null : before;
    }
    return server.memory();
  }

  private Object open(Ebb running, Words words, @Nullable String tenant) throws CommandException {
    if (open.size() == MOST_SEQUENCES) {
      throw new CommandException(
          "ERR this connection has '%d' open sequences, the most that are allowed; end one first"
              .formatted(open.size()));
    }
    Map<String, Integer> options = words.options(OPTIONS, Set.of(), 1);
    SequenceRequest request = request(words, options, tenant);
    int wait = words.integer(options, "WAIT", 0, 0, LONGEST_WAIT);
    requireFits(running, request);
    Sequence sequence = open(running, request, Duration.ofMillis(wait));
    RemoteSequence opened =
        new RemoteSequence(sequence, observations, running.pool().layout().laneGroups());
    open.put(opened.sequence.id(), opened);
    return List.of(opened.sequence.id(), (long) opened.sequence.matchedTokens(), opened.changes());
  }

  /** Refuses at once what would not fit if it had all memory. */
  private void requireFits(Ebb running, SequenceRequest request) throws CommandException {
    long needed = running.pool().layout().blocksFor(request.most());
    long blocks = server.blocks();
    if (needed > blocks) {
      throw new CommandException(
          "OOM '%d' tokens need '%d' blocks, more than all %d; open a shorter sequence, or enlarge %s"
              .formatted(request.most(), needed, blocks, ServerConfig.SEQUENCES));
    }
  }

  /** Opens a sequence, waiting for memory while the client is there. It waits only now. */
  private Sequence open(Ebb running, SequenceRequest request, Duration wait) {
    AtomicBoolean opening = new AtomicBoolean(true);
    try {
      return running.open(request.withMaxWait(wait, () -> opening.get() && !closed));
    } finally {
      opening.set(false);
    }
  }

  private SequenceRequest request(
      Words words, Map<String, Integer> options, @Nullable String tenant) throws CommandException {
    Namespace namespace = Namespace.of(model);
    String adapter = words.name(options, "ADAPTER");
    namespace = adapter == null ? namespace : namespace.withAdapter(adapter);
    String salt = words.name(options, "SALT");
    namespace = salt == null ? namespace : namespace.withSalt(salt);
    int normal = priorities.normal();
    int priority = words.integer(options, "PRIORITY", normal, Integer.MIN_VALUE, Integer.MAX_VALUE);
    SequenceRequest request =
        SequenceRequest.of(namespace, words.tokens()).withPriority(priorities.of(priority));
    // A user with a tenant cannot name another.
    String named = tenant == null ? words.name(options, "TENANT") : tenant;
    request = named == null ? request : request.withTenant(named);
    String label = words.name(options, "LABEL");
    request = label == null ? request : request.withWorkload(label);
    int most = words.integer(options, "RESERVE", 0, 1, Integer.MAX_VALUE);
    return most == 0 ? request : request.withMaxLength(most).reserving(Placement.SCATTERED);
  }

  /** Executes a command on an open sequence. */
  private Object of(Ebb running, Words words) throws CommandException {
    Command command = Command.of(words.operation());
    long id = words.number("id", 0, Long.MAX_VALUE);
    RemoteSequence sequence = open.get(id);
    if (sequence == null) {
      throw new CommandException(
          "ERR sequence '%d' is not open on this connection; send EBB.SEQ OPEN".formatted(id));
    }
    try {
      Object reply = command.run(running, sequence, words);
      if (command == Command.FINISH || command == Command.ABORT) {
        open.remove(id);
      }
      return reply;
    } catch (SequenceStateException ended) {
      open.remove(id);
      throw new CommandException(
          (ended.state() == SequenceState.PREEMPTED ? "PREEMPTED " : "ERR ") + ended.getMessage());
    }
  }

  /** The commands on an open sequence. */
  private enum Command {
    APPEND {
      @Override
      Object run(Ebb ebb, RemoteSequence of, Words words) throws CommandException {
        int[] tokens = words.tokens();
        words.end();
        of.sequence.append(tokens);
        return of.changes();
      }
    },
    PUBLISH {
      @Override
      Object run(Ebb ebb, RemoteSequence of, Words words) throws CommandException {
        int written = words.integer("written", 0, Integer.MAX_VALUE);
        words.end();
        long published = of.released(() -> of.sequence.publish(written));
        return List.of(published, of.changes());
      }
    },
    OBSERVE {
      @Override
      Object run(Ebb ebb, RemoteSequence of, Words words) throws CommandException {
        String kind = words.keyword("QUERIES or ATTENTION");
        int layer = words.integer("layer", 0, Integer.MAX_VALUE);
        int count = words.integer("count", 1, Integer.MAX_VALUE);
        MemorySegment floats = MemorySegment.ofArray(words.bytes("floats"));
        words.end();
        switch (kind) {
          case "QUERIES" -> {
            requireStated(of.observations.queries(), kind);
            of.sequence.observeQueries(layer, count, floats);
          }
          case "ATTENTION" -> {
            requireStated(of.observations.attention(), kind);
            of.sequence.observeAttention(layer, count, floats);
          }
          default ->
              throw new CommandException(
                  "ERR EBB.SEQ OBSERVE does not take '%s'; QUERIES or ATTENTION are allowed"
                      .formatted(kind));
        }
        return ebb.tokens().observes() ? OK : UNUSED;
      }
    },
    PRUNE {
      @Override
      Object run(Ebb ebb, RemoteSequence of, Words words) throws CommandException {
        of.requireRunning();
        int size = words.hasNext() ? words.integer("target size", 1, Integer.MAX_VALUE) : 0;
        words.end();
        TokenEviction result = of.released(() -> ebb.tokens().maybeEvict(of.sequence, size));
        KvLayout layout = ebb.pool().layout();
        return List.of(
            (long) result.removedTokens(),
            result.cause().name().toLowerCase(Locale.ROOT),
            result.policy(),
            result.detail(),
            result.evicted() ? of.lengths(layout.layers() * layout.kvHeads()) : new int[0],
            of.changes());
      }
    },
    POSITIONS {
      @Override
      Object run(Ebb ebb, RemoteSequence of, Words words) throws CommandException {
        KvLayout layout = ebb.pool().layout();
        int layer = words.integer("layer", 0, layout.layers() - 1);
        int head = words.integer("KV head", 0, layout.kvHeads() - 1);
        words.end();
        return of.positions(layer * layout.kvHeads() + head);
      }
    },
    PAUSE {
      @Override
      Object run(Ebb ebb, RemoteSequence of, Words words) throws CommandException {
        words.end();
        of.pause();
        return OK;
      }
    },
    RESUME {
      @Override
      Object run(Ebb ebb, RemoteSequence of, Words words) throws CommandException {
        words.end();
        of.resume();
        return of.changes();
      }
    },
    FINISH {
      @Override
      Object run(Ebb ebb, RemoteSequence of, Words words) throws CommandException {
        int all = of.sequence.position();
        int written = words.hasNext() ? words.integer("written", 0, all) : all;
        words.end();
        of.pause();
        of.sequence.finish(written);
        return OK;
      }
    },
    ABORT {
      @Override
      Object run(Ebb ebb, RemoteSequence of, Words words) throws CommandException {
        words.end();
        of.pause();
        of.sequence.abort();
        return OK;
      }
    };

    private static void requireStated(boolean stated, String kind) throws CommandException {
      if (!stated) {
        throw new CommandException(
            "ERR the model was stated without '%s', so EBB.SEQ OBSERVE cannot provide it; add it to EBB.SEQ MODEL"
                .formatted(kind));
      }
    }

    abstract Object run(Ebb ebb, RemoteSequence of, Words words) throws CommandException;

    static Command of(String operation) throws CommandException {
      for (Command each : values()) {
        if (each.name().equals(operation)) {
          return each;
        }
      }
      throw new CommandException(
          "ERR EBB.SEQ does not take '%s'; MODEL, OPEN, %s are allowed"
              .formatted(
                  operation,
                  String.join(", ", List.of(values()).stream().map(Enum::name).toList())));
    }
  }
}
