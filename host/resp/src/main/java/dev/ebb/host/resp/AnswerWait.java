package dev.ebb.host.resp;

import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Replies;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The wait of one connection for an answer of other nodes, during which it executes no other
 * command. For the connection's event loop.
 */
final class AnswerWait implements AutoCloseable {

  private final Consumer<Throwable> remoteFailed;
  private final Replies replies;
  private final EventExecutor loop;
  private final Runnable resumed;
  private final Consumer<Throwable> failed;

  /** The current wait; null if there is none. */
  @Nullable Wait wait;

  /** An answer is being taken, which may ask again: the connection goes on after the first one. */
  private boolean answering;

  /** Frees what the command holds meanwhile, if the connection ends first. */
  record Wait(Runnable held) {}

  AnswerWait(
      Consumer<Throwable> remoteFailed,
      Replies replies,
      EventExecutor loop,
      Runnable resumed,
      Consumer<Throwable> failed) {
    this.remoteFailed = remoteFailed;
    this.replies = replies;
    this.loop = loop;
    this.resumed = resumed;
    this.failed = failed;
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
   * Asks other nodes, and continues with their answer on the event loop; with null if they failed.
   *
   * @param drop frees an answer that is not needed any more
   */
  <T> void ask(
      Supplier<CompletionStage<T>> question,
      Consumer<T> drop,
      Runnable held,
      RemoteAccess.NullableContinuation<T> then) {
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
            remoteFailed.accept(failure);
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

  /** Asks for an answer that holds nothing, and while nothing is held. */
  <T> void ask(Supplier<CompletionStage<T>> question, RemoteAccess.NullableContinuation<T> then) {
    ask(question, none -> {}, () -> {}, then);
  }

  private static <T> void drop(@Nullable T answer, Consumer<T> drop) {
    if (answer != null) {
      drop.accept(answer);
    }
  }

  private <T> void answered(
      Wait current,
      @Nullable T answer,
      Consumer<T> drop,
      RemoteAccess.NullableContinuation<T> then) {
    if (wait != current) {
      drop(answer, drop);
      return;
    }
    wait = null;
    boolean first = !answering;
    answering = true;
    try {
      then.accept(answer);
    } catch (CommandException refused) {
      replies.error(refused.reply());
    } catch (RuntimeException | Error unexpected) {
      failed.accept(unexpected);
      return;
    } finally {
      answering = !first;
    }
    if (first) {
      resumed.run();
    }
  }
}
