package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Replies;
import dev.ebb.host.resp.session.Session;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.RemoteValue;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.RequestRouter.RankedNode;
import dev.ebb.host.store.SetResult;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.key.ChunkKeys;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The access of one connection to the values of other nodes. While it waits for their answer, the
 * connection executes no other command. For the connection's event loop.
 */
final class RemoteAccess implements AutoCloseable {

  /** Values that are read together, so that few of them are in use at a time. */
  private static final int PREFETCHED = 8;

  private static final BitSet NOWHERE = new BitSet(0);

  private final Connections connections;
  private final Session session;
  private final Replies replies;
  private final EventExecutor loop;
  private final AnswerWait answers;
  private final Consumer<Throwable> failed;

  /** The reply whose parts follow; null if there is none. */
  private @Nullable PartialReply partial;

  interface Continuation<T> {
    void accept(T answer) throws CommandException;
  }

  interface NullableContinuation<T> {
    void accept(@Nullable T answer) throws CommandException;
  }

  /** A reply with values that do not arrive as a whole, from the last part of the next one on. */
  private record PartialReply(List<@Nullable ValuePart> values, int sent, ValuePart last) {}

  RemoteAccess(
      Connections connections,
      Session session,
      Replies replies,
      EventExecutor loop,
      Runnable resumed,
      Consumer<Throwable> failed) {
    this.connections = connections;
    this.session = session;
    this.replies = replies;
    this.loop = loop;
    this.failed = failed;
    answers = new AnswerWait(connections::remoteFailed, replies, loop, resumed, failed);
  }

  /** Returns whether values may be outside this node's memory. */
  boolean on() {
    return connections.remote != RemoteValues.NONE;
  }

  boolean hasNodes() {
    return on() && connections.remote.onOtherNodes();
  }

  boolean waits() {
    return answers.wait != null;
  }

  boolean done() {
    return !waits() && partial == null;
  }

  @Override
  public void close() {
    answers.close();
    PartialReply unsent = partial;
    partial = null;
    if (unsent != null) {
      close(unsent.values.subList(unsent.sent + 1, unsent.values.size()));
    }
  }

  void reply(@Nullable ValuePart value) {
    reply(Collections.singletonList(value), 0);
  }

  void reply(List<@Nullable ValuePart> values) {
    replies.array(values.size());
    reply(values, 0);
  }

  private void reply(List<@Nullable ValuePart> values, int sent) {
    for (int i = sent; i < values.size(); i++) {
      ValuePart value = values.get(i);
      if (value == null) {
        replies.nil();
      } else {
        replies.valueOf(value.length());
        replies.part(value);
        if (value.next() != null) {
          partial = new PartialReply(values, i, value);
          return;
        }
        replies.lineEnd();
      }
    }
  }

  /**
   * Asks for the next part of a value, if the last reply has one. To be called when all parts
   * before are sent, so that a client that reads slowly holds the memory of few parts.
   *
   * @return whether it had one
   */
  boolean proceed() {
    PartialReply current = partial;
    if (current == null || waits()) {
      return false;
    }
    answers.ask(
        requireNonNull(current.last.next()),
        ValuePart::close,
        () -> {},
        part -> {
          if (part == null) {
            // The client has the length and some bytes already, so that no error can be returned.
            failed.accept(
                new IOException(
                    "'%d' bytes of a value did not arrive".formatted(current.last.following())));
            return;
          }
          replies.part(part);
          partial =
              part.next() == null ? null : new PartialReply(current.values, current.sent, part);
          if (partial == null) {
            replies.lineEnd();
            reply(current.values, current.sent + 1);
          }
        });
    return true;
  }

  /**
   * Reads the values that are missing here, and counts what was found.
   *
   * @param here the values that are here, null for others; owned by the continuation
   * @param wanted returns the bytes wanted of a value of some length
   */
  void read(
      List<byte[]> keys,
      List<@Nullable ValuePart> here,
      LongFunction<ByteRange> wanted,
      Continuation<List<@Nullable ValuePart>> then)
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
    String trace = session.store.trace(missing.getFirst());
    answers.ask(
        () ->
            sized(
                connections.remote.read(missing, wanted, trace),
                missing.size(),
                RemoteAccess::close),
        RemoteAccess::close,
        () -> close(here),
        answer -> {
          int next = 0;
          for (int i = 0; i < here.size(); i++) {
            if (here.get(i) == null) {
              here.set(i, answer == null ? null : answer.get(next++));
              session.store.answered(keys.get(i), here.get(i));
            }
          }
          count(here, missing.size());
          then.accept(here);
        });
  }

  private void count(List<@Nullable ValuePart> all, int asked) {
    int missed = (int) all.stream().filter(part -> part == null).count();
    connections.remoteReads(asked - missed, missed);
  }

  /** Reads a value that is missing here, and counts whether it was found. */
  void read(byte[] key, LongFunction<ByteRange> wanted, NullableContinuation<ValuePart> then) {
    open(
        key,
        wanted,
        () -> {},
        part -> {
          session.store.answered(key, part);
          then.accept(part);
        });
  }

  /** Opens a value that is missing here, which is not a read of its client. */
  void open(
      byte[] key,
      LongFunction<ByteRange> wanted,
      Runnable held,
      NullableContinuation<ValuePart> then) {
    String trace = session.store.trace(key);
    answers.ask(
        () -> sized(connections.remote.read(List.of(key), wanted, trace), 1, RemoteAccess::close),
        RemoteAccess::close,
        held,
        answer -> {
          ValuePart part = answer == null ? null : answer.getFirst();
          connections.remoteReads(part == null ? 0 : 1, part == null ? 1 : 0);
          then.accept(part);
        });
  }

  /** Returns what other nodes report about a value that is missing here. */
  void find(byte[] key, Runnable held, NullableContinuation<RemoteValue> then) {
    answers.ask(
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
    answers.ask(
        () -> connections.remote.exist(asked),
        answer -> {
          BitSet elsewhere = new BitSet();
          int next = 0;
          for (int i = missing.nextSetBit(0); i >= 0; i = missing.nextSetBit(i + 1)) {
            elsewhere.set(i, answer != null && answer.get(next++));
          }
          if (elsewhere.cardinality() < asked.size()) {
            // Its client requests what was found, up to the first missing one.
            connections.remoteReads(0, 1);
          }
          then.accept(elsewhere);
        });
  }

  void delete(List<byte[]> keys, Continuation<List<Boolean>> then) {
    delete(keys, () -> {}, then);
  }

  /**
   * Continues when values are deleted.
   *
   * @param held releases what the continuation needs, if that is not called
   */
  void delete(List<byte[]> keys, Runnable held, Continuation<List<Boolean>> then) {
    answers.ask(
        () -> sized(connections.remote.delete(keys), keys.size(), none -> {}),
        none -> {},
        held,
        answer -> {
          if (answer == null) {
            held.run();
          }
          then.accept(removed(answer));
        });
  }

  void clear(Runnable then) {
    answers.ask(
        () -> connections.remote.clear().thenApply(none -> Boolean.TRUE),
        answer -> {
          var _ = removed(answer);
          then.run();
        });
  }

  /** Reports a value that the client may have stored. */
  void stored(byte[] key, SetResult result) {
    if (on() && result.outcome() == SetResult.Outcome.STORED && !ChunkKeys.isMetadata(key)) {
      connections.remote.stored(session.id, key, result.version());
    }
  }

  /** Continues when replaced values cannot come back, or that will not be known. */
  void settled(List<byte[]> keys, Runnable held, Runnable then) {
    CompletableFuture<?>[] open =
        keys.stream()
            .map(connections.remote::replaced)
            .filter(Objects::nonNull)
            .map(CompletionStage::toCompletableFuture)
            .toArray(CompletableFuture[]::new);
    if (open.length == 0) {
      then.run();
    } else {
      answers.ask(
          () -> CompletableFuture.allOf(open).handle((none, failure) -> Boolean.TRUE),
          none -> {},
          held,
          none -> then.run());
    }
  }

  /**
   * Continues with values in memory that another tier of this node may have, as far as there is
   * room for them.
   */
  void restore(List<byte[]> keys, Continuation<List<byte[]>> then) throws CommandException {
    List<byte[]> missing =
        !on() || hasNodes()
            ? List.of()
            : keys.stream().filter(key -> connections.store.length(key) < 0).toList();
    if (missing.isEmpty()) {
      then.accept(keys);
      return;
    }
    answers.ask(
        () -> connections.remote.read(missing, ByteRange::whole),
        RemoteAccess::close,
        () -> {},
        parts -> {
          try {
            then.accept(keys);
          } finally {
            close(parts == null ? List.of() : parts);
          }
        });
  }

  /**
   * Reads values into memory that are on a disk or on other nodes, as far as there is room for
   * them, while the client goes on.
   */
  void prefetch(List<byte[]> keys) {
    prefetch(keys.stream().filter(key -> connections.store.length(key) < 0).toList(), 0);
  }

  private void prefetch(List<byte[]> missing, int from) {
    int to = Math.min(from + PREFETCHED, missing.size());
    if (from == to) {
      return;
    }
    var _ =
        connections
            .remote
            .read(missing.subList(from, to), ByteRange::whole)
            .whenComplete((parts, failure) -> {
              close(parts == null ? List.of() : parts);
              if (parts != null && parts.stream().noneMatch(Objects::isNull)) {
                loop.execute(() -> prefetch(missing, to));
              }
            });
  }

  /** Replies how many other nodes have replicas of what the client has stored, after some time. */
  void awaitReplicas(long nodes, long millis) {
    CompletableFuture<Integer> answer = connections.remote.await(session.id, nodes, millis);
    answers.ask(
        () -> answer,
        none -> {},
        () -> answer.complete(0),
        copies -> replies.integer(copies == null ? 0 : copies));
  }

  /** Continues with an answer that is not of other nodes, and never fails. */
  <T> void await(CompletionStage<T> answer, Continuation<T> then) {
    answers.ask(() -> answer, known -> then.accept(requireNonNull(known)));
  }

  void route(List<byte[]> keys, int chunkTokens, Continuation<List<RankedNode>> then) {
    answers.ask(
        () -> connections.router.route(keys, chunkTokens),
        answer -> {
          if (answer == null) {
            throw new CommandException(
                "ERR the directory of the cluster did not answer; send the command again");
          }
          then.accept(answer);
        });
  }

  private <T> T removed(@Nullable T answer) throws CommandException {
    if (answer == null) {
      throw new CommandException("ERR " + connections.remote.notRemoved());
    }
    return answer;
  }

  private static void close(Collection<? extends @Nullable ValuePart> values) {
    for (ValuePart value : values) {
      if (value != null) {
        value.close();
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
}
