package dev.ebb.host.resp;

import dev.ebb.host.store.RemoteValue;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.RequestRouter.RankedNode;
import dev.ebb.host.store.ValueReader;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The access of one connection to the values of other nodes. While it waits for their answer, the
 * connection executes no other command. For the connection's event loop.
 */
final class RemoteAccess implements AutoCloseable {

  private static final BitSet NOWHERE = new BitSet(0);

  private static final String NOT_REMOVED =
      "ERR values may remain on other nodes, which did not answer; send the command again";

  private final Connections connections;
  private final Replies replies;
  private final EventExecutor loop;
  private final Runnable resumed;
  private final Consumer<Throwable> failed;

  /** The current wait; null if there is none. */
  private @Nullable Wait wait;

  /** The rest of a command, after an answer. */
  interface Continuation<T> {
    void accept(T answer) throws CommandException;
  }

  /** The rest of a command, after an answer that may be null. */
  interface NullableContinuation<T> {
    void accept(@Nullable T answer) throws CommandException;
  }

  /**
   * A wait for an answer.
   *
   * @param held frees what the command holds meanwhile, if the connection ends first
   */
  private record Wait(Runnable held) {}

  /**
   * Creates the access of a connection.
   *
   * @param resumed continues the connection after a command that had to wait
   * @param failed ends the connection after an unexpected failure
   */
  RemoteAccess(
      Connections connections,
      Replies replies,
      EventExecutor loop,
      Runnable resumed,
      Consumer<Throwable> failed) {
    this.connections = connections;
    this.replies = replies;
    this.loop = loop;
    this.resumed = resumed;
    this.failed = failed;
  }

  /** Returns whether there are other nodes. */
  boolean on() {
    return connections.remote != RemoteValues.NONE;
  }

  /** Returns whether the last command waits for an answer. */
  boolean waits() {
    return wait != null;
  }

  /** Ends the wait: its answer will be dropped. */
  @Override
  public void close() {
    Wait ended = wait;
    wait = null;
    if (ended != null) {
      ended.held.run();
    }
  }

  /**
   * Opens the values that are missing here.
   *
   * @param here the readers of values that are here, null for others; owned by the continuation
   */
  void open(
      List<byte[]> keys,
      List<@Nullable ValueReader> here,
      Continuation<List<@Nullable ValueReader>> then)
      throws CommandException {
    List<byte[]> missing = new ArrayList<>();
    for (int i = 0; on() && i < here.size(); i++) {
      if (here.get(i) == null) {
        missing.add(keys.get(i));
      }
    }
    if (missing.isEmpty()) {
      then.accept(here);
      return;
    }
    ask(
        () -> sized(connections.remote.get(missing), missing.size(), RemoteAccess::close),
        RemoteAccess::close,
        () -> close(here),
        answer -> {
          int next = 0;
          for (int i = 0; answer != null && i < here.size(); i++) {
            if (here.get(i) == null) {
              here.set(i, answer.get(next++));
            }
          }
          count(here, missing.size());
          then.accept(here);
        });
  }

  private void count(List<@Nullable ValueReader> all, int asked) {
    int missed = (int) all.stream().filter(reader -> reader == null).count();
    connections.remoteHits.add(asked - missed);
    connections.remoteMisses.add(missed);
  }

  /**
   * Opens a value that is missing here.
   *
   * @param held frees what the command holds, if the connection ends first
   */
  void open(byte[] key, Runnable held, NullableContinuation<ValueReader> then) {
    ask(
        () -> sized(connections.remote.get(List.of(key)), 1, RemoteAccess::close),
        RemoteAccess::close,
        held,
        answer -> {
          ValueReader reader = answer == null ? null : answer.getFirst();
          (reader == null ? connections.remoteMisses : connections.remoteHits).increment();
          then.accept(reader);
        });
  }

  /**
   * Returns what other nodes report about a value that is missing here.
   *
   * @param held frees what the command holds, if the connection ends first
   */
  void find(byte[] key, Runnable held, NullableContinuation<RemoteValue> then) {
    ask(
        () -> sized(connections.remote.find(List.of(key)), 1, none -> {}),
        none -> {},
        held,
        answer -> then.accept(answer == null ? null : answer.getFirst()));
  }

  /** Returns the indexes of keys that are missing here and have values on other nodes. */
  void find(List<byte[]> keys, Continuation<BitSet> then) throws CommandException {
    BitSet missing = on() ? connections.store.missing(keys) : NOWHERE;
    if (missing.isEmpty()) {
      then.accept(NOWHERE);
      return;
    }
    List<byte[]> asked = missing.stream().mapToObj(keys::get).toList();
    ask(
        () -> sized(connections.remote.find(asked), asked.size(), none -> {}),
        none -> {},
        () -> {},
        answer -> {
          BitSet elsewhere = new BitSet();
          int next = 0;
          for (int i = missing.nextSetBit(0); i >= 0; i = missing.nextSetBit(i + 1)) {
            elsewhere.set(i, answer != null && answer.get(next++) != null);
          }
          if (elsewhere.cardinality() < asked.size()) {
            // Its client requests what was found, up to the first missing one.
            connections.remoteMisses.increment();
          }
          then.accept(elsewhere);
        });
  }

  /**
   * Removes values from other nodes.
   *
   * @param keys each of them once
   */
  void delete(List<byte[]> keys, Continuation<List<Boolean>> then) {
    ask(
        () -> sized(connections.remote.delete(keys), keys.size(), none -> {}),
        none -> {},
        () -> {},
        answer -> then.accept(removed(answer)));
  }

  /** Removes all values from other nodes. */
  void clear(Runnable then) {
    ask(
        () -> connections.remote.clear().thenApply(none -> Boolean.TRUE),
        none -> {},
        () -> {},
        answer -> {
          var _ = removed(answer);
          then.run();
        });
  }

  /** Ranks the nodes for a request. */
  void route(List<byte[]> keys, int chunkTokens, Continuation<List<RankedNode>> then) {
    ask(
        () -> connections.router.route(keys, chunkTokens),
        none -> {},
        () -> {},
        answer -> {
          if (answer == null) {
            throw new CommandException(
                "ERR the directory of the cluster did not answer; send the command again");
          }
          then.accept(answer);
        });
  }

  private static <T> T removed(@Nullable T answer) throws CommandException {
    if (answer == null) {
      throw new CommandException(NOT_REMOVED);
    }
    return answer;
  }

  /** Closes readers. */
  private static void close(Collection<? extends @Nullable ValueReader> readers) {
    for (ValueReader reader : readers) {
      if (reader != null) {
        reader.close();
      }
    }
  }

  /** Fails if there is not an answer for each key. */
  private static <T extends @Nullable Object> CompletionStage<List<T>> sized(
      CompletionStage<List<T>> stage, int size, Consumer<List<T>> drop) {
    return stage.thenApply(answer -> {
      if (answer.size() != size) {
        drop.accept(answer);
        throw new IllegalStateException(
            "'%d' answers for '%d' keys".formatted(answer.size(), size));
      }
      return answer;
    });
  }

  /**
   * Asks other nodes, and continues with their answer on the event loop; with null if they failed.
   *
   * @param drop frees an answer that is not needed any more
   */
  private <T> void ask(
      Supplier<CompletionStage<T>> question,
      Consumer<T> drop,
      Runnable held,
      NullableContinuation<T> then) {
    Wait current = new Wait(held);
    wait = current;
    CompletionStage<T> stage;
    try {
      stage = question.get();
    } catch (RuntimeException wrong) {
      stage = CompletableFuture.failedStage(wrong);
    }
    var _ =
        stage.whenComplete((answer, failure) -> {
          if (failure != null) {
            connections.remoteFailed(failure);
          }
          Runnable arrival = () -> answered(current, answer, drop, then);
          if (loop.inEventLoop()) {
            arrival.run();
            return;
          }
          try {
            loop.execute(arrival);
          } catch (RejectedExecutionException over) {
            drop(answer, drop);
          }
        });
  }

  private static <T> void drop(@Nullable T answer, Consumer<T> drop) {
    if (answer != null) {
      drop.accept(answer);
    }
  }

  private <T> void answered(
      Wait current, @Nullable T answer, Consumer<T> drop, NullableContinuation<T> then) {
    if (wait != current) {
      drop(answer, drop);
      return;
    }
    wait = null;
    try {
      then.accept(answer);
    } catch (CommandException refused) {
      replies.error(refused.reply());
    } catch (RuntimeException | Error unexpected) {
      failed.accept(unexpected);
      return;
    }
    resumed.run();
  }
}
