import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.http.AccessTokens;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.llama.server.LlamaBackend;
import dev.ebb.server.completion.EngineServer;
import dev.ebb.server.completion.ServerOptions;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The cost of caching where nothing can be reused: the CPU time of the computing thread of {@code
 * ebb engine start} with a policy and with {@code none}, in turn, in one process. CPU time hardly
 * depends on the machine's load.
 *
 * <p>Arguments: a model, {@code true} for flash attention, pairs, and the policy. Run in the folder
 * with {@code plugins}.
 */
public final class CachingCost {

  private static final int CELLS = 7_928;
  private static final int PARALLEL = 8;
  private static final int PROMPT = 400;
  private static final int ANSWER = 16;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private record Engine(EngineServer server, long thread) {

    static Engine start(Path model, boolean flash, String policy) {
      Set<Long> before = LongStream.of(THREADS.getAllThreadIds()).boxed().collect(Collectors.toSet());
      HttpOptions http =
          new HttpOptions(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              AccessTokens.NONE,
              null,
              new HttpOptions.Names("--port", "--api-key-file", "--tls-certificate"));
      SchedulerOptions scheduler =
          new SchedulerOptions(
              PARALLEL, 256, 64, Duration.ofMinutes(30), false, Duration.ofSeconds(10), 1_024);
      EngineServer server =
          EngineServer.start(
              new LlamaBackend(),
              new ServerOptions(
                  model, "demo", CELLS, null, 16, 1, flash, scheduler, http, false,
                  PriorityScale.LARGER_FIRST, null,
                  List.of(
                      new ConfigOverride("ebb.eviction.policy", policy, "--eviction-policy"),
                      new ConfigOverride("ebb.admin.enabled", "false", "--admin"))),
              () -> {});
      long thread =
          LongStream.of(THREADS.getAllThreadIds())
              .filter(id -> !before.contains(id))
              .filter(id -> THREADS.getThreadInfo(id).getThreadName().equals("ebb-llama.cpp"))
              .findFirst()
              .orElseThrow();
      return new Engine(server, thread);
    }

    /** Answers so many prompts that were never sent before; returns the CPU time of the thread. */
    double seconds(HttpClient client, int requests, Random random) throws Exception {
      long start = THREADS.getThreadCpuTime(thread);
      List<Callable<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < requests; i++) {
        String prompt = Arrays.toString(random.ints(PROMPT, 3, 250).toArray());
        HttpRequest request =
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:%d/v1/completions".formatted(server.address().getPort())))
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"prompt\": %s, \"max_tokens\": %d, \"ignore_eos\": true, \"temperature\": 0}"
                            .formatted(prompt, ANSWER)))
                .build();
        calls.add(() -> client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
      }
      try (var executor = Executors.newFixedThreadPool(PARALLEL)) {
        for (Future<Integer> status : executor.invokeAll(calls)) {
          if (status.get() != 200) {
            throw new IllegalStateException("status " + status.get());
          }
        }
      }
      return (THREADS.getThreadCpuTime(thread) - start) / 1e9;
    }
  }

  private CachingCost() {}

  public static void main(String[] arguments) throws Exception {
    Path model = Path.of(arguments[0]);
    boolean flash = Boolean.parseBoolean(arguments[1]);
    int pairs = Integer.parseInt(arguments[2]);
    String policy = arguments[3];
    HttpClient client = HttpClient.newHttpClient();
    Engine none = Engine.start(model, flash, "none");
    Engine cached = Engine.start(model, flash, policy);
    Random random = new Random(1);
    none.seconds(client, PARALLEL, random);
    // Fills all blocks.
    cached.seconds(client, CELLS / PROMPT + PARALLEL, random);
    double[] more = new double[pairs];
    for (int i = 0; i < pairs; i++) {
      // The first of a pair alternates.
      double first = (i % 2 == 0 ? none : cached).seconds(client, PARALLEL, random);
      double second = (i % 2 == 0 ? cached : none).seconds(client, PARALLEL, random);
      double without = i % 2 == 0 ? first : second;
      double with = i % 2 == 0 ? second : first;
      more[i] = 100 * (with / without - 1);
      System.out.printf("none %.2f s, %s %.2f s, %+.1f %%%n", without, policy, with, more[i]);
    }
    Arrays.sort(more);
    System.out.printf(
        "median %+.1f %%, quartiles %+.1f and %+.1f %%%n",
        (more[pairs / 2] + more[(pairs - 1) / 2]) / 2, more[pairs / 4], more[pairs - 1 - pairs / 4]);
    System.exit(0);
  }
}
