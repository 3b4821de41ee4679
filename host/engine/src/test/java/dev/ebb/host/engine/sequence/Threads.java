package dev.ebb.host.engine.sequence;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Threads that use sequences while others move their blocks. */
final class Threads {

  private Threads() {}

  /**
   * Runs all to the end.
   *
   * @param serving how many threads serve, each with a random generator of its own
   * @param tidying what runs meanwhile, until the flag is set
   */
  static void run(int serving, Consumer<Random> serve, List<Consumer<AtomicBoolean>> tidying)
      throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    try (ExecutorService threads = Executors.newFixedThreadPool(serving + tidying.size())) {
      List<Future<?>> meanwhile = new ArrayList<>();
      tidying.forEach(tidy -> meanwhile.add(threads.submit(() -> tidy.accept(over))));
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < serving; thread++) {
        Random random = new Random(10 + thread);
        all.add(threads.submit(() -> serve.accept(random)));
      }
      try {
        await(all);
      } finally {
        over.set(true);
      }
      await(meanwhile);
    }
  }

  private static void await(List<Future<?>> all) throws InterruptedException {
    try {
      for (Future<?> each : all) {
        each.get();
      }
    } catch (ExecutionException failed) {
      throw new AssertionError("a thread failed", failed.getCause());
    }
  }

  /** Returns a random prompt of one of a few families, whose prompts begin alike. */
  static List<Integer> prompt(Random random) {
    List<Integer> tokens = new ArrayList<>();
    int family = random.nextInt(4);
    for (int i = 0; i < 10 + random.nextInt(10); i++) {
      tokens.add(i < 8 ? family : random.nextInt(3));
    }
    return tokens;
  }

  static int[] ints(List<Integer> tokens) {
    return tokens.stream().mapToInt(Integer::intValue).toArray();
  }
}
