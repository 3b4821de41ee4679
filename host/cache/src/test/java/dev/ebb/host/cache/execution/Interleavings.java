package dev.ebb.host.cache.execution;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a program of several threads again and again, each time in another order. One thread runs at
 * a time, from one scheduling point to the next, and the order of turns is chosen here. A thread
 * normally runs until it has to wait, and the oldest thread that can run comes next. All orders
 * with at most a given number of deviations from that are run: most concurrency bugs need one or
 * two.
 */
public final class Interleavings {

  private static final int ANSWER_SECONDS = 30;

  private final int maxDeviations;

  /** The choices of the last run, each an index into the threads that could run. */
  private List<Choice> path = new ArrayList<>();

  private record Choice(int index, int options) {

    private boolean deviates() {
      return index > 0;
    }
  }

  public Interleavings(int maxDeviations) {
    this.maxDeviations = maxDeviations;
  }

  /** Runs the program in every order. Returns how many orders there are. */
  public int explore(Consumer<Run> program) {
    int runs = 0;
    List<Integer> prefix = new ArrayList<>();
    do {
      Run run = new Run(prefix);
      path = run.execute(program);
      runs++;
    } while (next(prefix));
    return runs;
  }

  /** Sets the prefix of the next order, depth first. Returns false if all orders were run. */
  private boolean next(List<Integer> prefix) {
    for (int depth = path.size() - 1; depth >= 0; depth--) {
      Choice choice = path.get(depth);
      int before = (int) path.subList(0, depth).stream().filter(Choice::deviates).count();
      if (choice.index + 1 < choice.options && before < maxDeviations) {
        prefix.clear();
        path.subList(0, depth).forEach(made -> prefix.add(made.index));
        prefix.add(choice.index + 1);
        return true;
      }
    }
    return false;
  }

  /** One order. */
  static final class Run {

    private final List<Integer> prefix;
    private final List<Choice> made = new ArrayList<>();
    private final Map<Thread, Participant> participants = new ConcurrentHashMap<>();
    private final Semaphore parked = new Semaphore(0);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private int started;

    private static final class Participant {
      private final Thread thread = Thread.currentThread();
      private final Semaphore turn = new Semaphore(0);
      private BooleanSupplier enabled = () -> true;
      private volatile boolean finished;
    }

    private Run(List<Integer> prefix) {
      this.prefix = prefix;
    }

    private List<Choice> execute(Consumer<Run> program) {
      starts();
      Thread first = Thread.ofPlatform().daemon(true).start(() -> first(program));
      @Nullable Participant current = null;
      while (true) {
        awaitParked(current);
        if (failure.get() != null) {
          throw new AssertionError("with the deviations " + order(), failure.get());
        }
        if (!first.isAlive() && participants.values().stream().allMatch(each -> each.finished)) {
          return made;
        }
        current = choose(current);
        started = 1;
        current.turn.release();
      }
    }

    private void first(Consumer<Run> program) {
      try {
        point(() -> true);
        program.accept(this);
      } catch (Throwable thrown) {
        failure.set(thrown);
      }
    }

    private Participant choose(@Nullable Participant current) {
      List<Participant> able = new ArrayList<>();
      participants.values().stream()
          .filter(each -> !each.finished && each.enabled.getAsBoolean())
          .forEach(able::add);
      if (able.isEmpty()) {
        throw new AssertionError("no thread can run, with the deviations " + order());
      }
      able.sort(
          Comparator.<Participant, Boolean>comparing(each -> each != current)
              .thenComparingLong(each -> each.thread.threadId()));
      int depth = made.size();
      int index = depth < prefix.size() ? prefix.get(depth) : 0;
      made.add(new Choice(index, able.size()));
      return able.get(index);
    }

    private String order() {
      return IntStream.range(0, made.size())
          .filter(turn -> made.get(turn).deviates())
          .mapToObj(turn -> "turn " + turn + " to thread " + made.get(turn).index)
          .toList()
          .toString();
    }

    /** Waits until every thread that runs has come to a scheduling point or has ended. */
    private void awaitParked(@Nullable Participant running) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ANSWER_SECONDS);
      while (started > 0) {
        if (tryAcquire()) {
          started--;
        } else if (running != null && !running.finished && !running.thread.isAlive()) {
          running.finished = true;
          started--;
        } else if (System.nanoTime() > end) {
          throw new AssertionError("a thread does not come back, with the deviations " + order());
        }
      }
    }

    private boolean tryAcquire() {
      try {
        return parked.tryAcquire(1, TimeUnit.MILLISECONDS);
      } catch (InterruptedException interrupted) {
        throw new AssertionError(interrupted);
      }
    }

    /** Another thread is about to be started, and will come to a scheduling point. */
    void starts() {
      started++;
    }

    /** Lets other threads run. Returns when it is this thread's turn and the condition holds. */
    void point(BooleanSupplier condition) {
      Participant me =
          participants.computeIfAbsent(Thread.currentThread(), thread -> new Participant());
      me.enabled = condition;
      parked.release();
      me.turn.acquireUninterruptibly();
    }
  }
}
