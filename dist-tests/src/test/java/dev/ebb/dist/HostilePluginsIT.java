package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.dist.HostileJar.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * A serving process with clients that verify every value, while an operator installs one hostile
 * JAR after the other, chooses its policy, and returns to a good one.
 */
class HostilePluginsIT {

  private static final int CLIENTS = 3;
  private static final long PAUSE_MILLIS = 5;
  private static final int EACH = 6;
  private static final Duration ACTIVE = Duration.ofMillis(1_200);
  private static final Duration LONGEST_END = Duration.ofSeconds(60);
  private static final String GOOD = "lru";

  @TempDir private Path directory;
  private final List<String> failures = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();

  /** What one JAR did, and what the clients noticed. */
  private record Row(
      HostileJar jar, Outcome outcome, String reason, VerifyingClients.Window window) {

    @Override
    public String toString() {
      String line = reason.lines().findFirst().orElse("");
      return "%s | %s | %.1f | %.1f | %d | %s"
          .formatted(
              jar,
              word(outcome),
              window.p99Nanos() / 1e6,
              window.longestNanos() / 1e6,
              window.commands(),
              line.substring(0, Math.min(line.length(), 200)));
    }
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void someJarsDoNotHarmClients() throws Exception {
    List<HostileJar> all = HostileJars.compiled(directory);
    run(
        IntStream.range(0, all.size())
            .filter(i -> i % EACH == 0)
            .mapToObj(all::get)
            .filter(jar -> !jar.group.equals("hangs"))
            .toList());
  }

  @Test
  @Tag("stress")
  @Timeout(value = 40, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void allJarsDoNotHarmClients() throws Exception {
    List<HostileJar> all = HostileJars.compiled(directory);
    String only = System.getProperty("ebb.hostile.only", ".*");
    run(all.stream().filter(jar -> jar.toString().matches(only)).toList());
  }

  private void run(List<HostileJar> jars) throws Exception {
    Path plugins = DropFolder.in(directory);
    DropFolder.put(Ebb.ROOT.resolve("plugins/ebb-plugin-lru.jar"), plugins, "ebb-plugin-lru.jar");
    String settings =
        """
        pool.size = 16 MiB
        plugins.rescan = 1 h
        eviction.policy = %s
        state { folder = "%s", interval = 1 s }
        """
            .formatted(GOOD, directory.resolve("state"));
    try (ServingProcess server = new ServingProcess(directory, plugins, settings, "-Xmx384m");
        VerifyingClients clients = new VerifyingClients(server::resp, CLIENTS, PAUSE_MILLIS)) {
      TimeUnit.SECONDS.sleep(2);
      clients.window();
      for (HostileJar jar : jars) {
        Path file = plugins.resolve(jar.name + ".jar");
        attack(server, clients, jar, file);
        remove(file);
        if (!server.isAlive()) {
          server.restart();
        }
        try {
          isGoodAgain(server, jar);
        } catch (IOException lost) {
          failures.add(jar + ": afterwards the operator got no answer: " + lost);
          clients.mayFail(true);
          server.restart();
          clients.mayFail(false);
        }
      }
    } finally {
      report();
    }
    assertThat(failures).isEmpty();
  }

  private void attack(ServingProcess server, VerifyingClients clients, HostileJar jar, Path file)
      throws IOException, InterruptedException {
    clients.mayFail(jar.expected.contains(Outcome.ENDED));
    clients.window();
    Outcome outcome;
    String reason = "";
    try {
      jar.drop(file);
      String refusal = refusal(server, file);
      if (!refusal.isEmpty()) {
        outcome = Outcome.REFUSED;
        reason = refusal;
      } else {
        ServingProcess.Answer chosen =
            server.send("PUT", "/api/v1/policy", "{\"policy\": \"%s\"}".formatted(jar.name));
        if (chosen.status() == 200) {
          reason = use(server, jar);
          outcome = reason.isEmpty() ? Outcome.SERVED : Outcome.QUARANTINED;
        } else {
          outcome = Outcome.SWITCH_FAILED;
          reason = chosen.body();
        }
      }
    } catch (IOException lost) {
      if (!server.endsWithin(LONGEST_END)) {
        failures.add(jar + ": the operator got no answer: " + lost);
        outcome = Outcome.SERVED;
      } else {
        outcome = Outcome.ENDED;
        reason = "exit status " + server.exitStatus();
      }
    }
    rows.add(new Row(jar, outcome, reason, clients.window()));
    System.out.println(rows.getLast());
    // On a slow machine, a policy that does harm for a moment exceeds its deadline.
    boolean slow =
        jar.expected.contains(Outcome.SERVED)
            && outcome == Outcome.QUARANTINED
            && reason.startsWith("overran");
    // A policy that fails at its first event may do so before the answer to the switch.
    boolean early =
        jar.expected.contains(Outcome.QUARANTINED)
            && outcome == Outcome.SWITCH_FAILED
            && reason.contains("is in quarantine since");
    if (!jar.expected.contains(outcome) && !slow && !early) {
      failures.add("%s: %s, %s".formatted(jar, outcome, reason));
    }
    clients.problems().stream()
        .filter(problem -> failures.stream().noneMatch(known -> known.endsWith(problem)))
        .forEach(problem -> failures.add(jar + ": " + problem));
  }

  /** Lets clients use the policy and an operator ask for all that it knows. */
  private static String use(ServingProcess server, HostileJar jar)
      throws IOException, InterruptedException {
    boolean ends = jar.expected.contains(Outcome.ENDED);
    long end = System.nanoTime() + (ends ? LONGEST_END : ACTIVE).toNanos();
    String quarantined = "";
    while (System.nanoTime() < end && (ends || quarantined.isEmpty())) {
      server.get("/api/v1/stats");
      server.get("/metrics");
      JsonNode entries = server.get("/api/v1/entries?limit=3").json().at("/entries");
      for (JsonNode entry : entries) {
        server.get("/api/v1/explain/" + entry.at("/key").asString());
        server.send(
            "POST",
            "/api/v1/pins",
            "{\"key\": \"%s\", \"seconds\": 1}".formatted(entry.at("/text").asString()));
      }
      TimeUnit.MILLISECONDS.sleep(250);
      quarantined = quarantine(server);
    }
    return quarantined;
  }

  private static String quarantine(ServingProcess server) throws IOException, InterruptedException {
    JsonNode cases = server.get("/api/v1/policy").json().at("/quarantine");
    return cases.isEmpty()
        ? ""
        : cases.get(0).at("/kind").asString() + ": " + cases.get(0).at("/reason").asString();
  }

  /** Returns why the JAR is not loaded; empty if it is. */
  private static String refusal(ServingProcess server, Path file)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + LONGEST_END.toNanos();
    while (System.nanoTime() < end) {
      server.send("POST", "/api/v1/plugins/reload", "{}");
      JsonNode plugin = plugin(server, file);
      switch (plugin.at("/state").asString()) {
        case "loaded" -> {
          return "";
        }
        case "refused", "passed_over" -> {
          return plugin.at("/reason").asString();
        }
        case "" -> {
          return "Ebb ignores what is not a file";
        }
        default -> TimeUnit.MILLISECONDS.sleep(50);
      }
    }
    throw new AssertionError(file + " is neither loaded nor refused");
  }

  private static JsonNode plugin(ServingProcess server, Path file)
      throws IOException, InterruptedException {
    for (JsonNode plugin : server.get("/api/v1/plugins").json().at("/plugins")) {
      if (plugin.at("/file").asString().equals(file.toString())) {
        return plugin;
      }
    }
    return new ObjectMapper().createObjectNode();
  }

  /** The JAR is gone, and the server must be as it was before. */
  private void isGoodAgain(ServingProcess server, HostileJar jar)
      throws IOException, InterruptedException {
    ServingProcess.Answer chosen =
        server.send("PUT", "/api/v1/policy", "{\"policy\": \"%s\"}".formatted(GOOD));
    server.send("DELETE", "/api/v1/quarantine/" + jar.name, "");
    server.send("POST", "/api/v1/plugins/reload", "{}");
    String active = server.get("/api/v1/policy").json().at("/policy").asString();
    if (chosen.status() != 200 || !active.equals(GOOD)) {
      failures.add("%s: afterwards '%s' is active: %s".formatted(jar, active, chosen.body()));
    }
    if (!server.get("/health/ready").body().contains("\"ready\"")) {
      failures.add(jar + ": afterwards the server is not ready");
    }
  }

  private static void remove(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  private void report() throws IOException {
    StringBuilder text = new StringBuilder("JAR | outcome | p99 ms | max ms | commands | reason\n");
    for (Row row : rows) {
      text.append(row).append('\n');
    }
    text.append(summary());
    Path file =
        Files.createDirectories(Ebb.ROOT.resolve("dist/target")).resolve("hostile-plugins.txt");
    Files.writeString(file, text);
    System.out.println(text.append("This table is in ").append(file));
  }

  private String summary() {
    StringBuilder text = new StringBuilder("\ngroup | JARs | outcomes | p99 ms | max ms\n");
    for (String group : rows.stream().map(row -> row.jar().group).distinct().toList()) {
      List<Row> of = rows.stream().filter(row -> row.jar().group.equals(group)).toList();
      StringBuilder outcomes = new StringBuilder();
      for (Outcome outcome : Outcome.values()) {
        long count = of.stream().filter(row -> row.outcome() == outcome).count();
        if (count > 0) {
          outcomes.append(outcomes.isEmpty() ? "" : ", ").append(count + " " + word(outcome));
        }
      }
      text.append(
          "%s | %d | %s | %.1f | %.1f%n"
              .formatted(
                  group,
                  of.size(),
                  outcomes,
                  of.stream().mapToLong(row -> row.window().p99Nanos()).max().orElse(0) / 1e6,
                  of.stream().mapToLong(row -> row.window().longestNanos()).max().orElse(0) / 1e6));
    }
    text.append("\nlongest delays\n");
    rows.stream()
        .sorted(Comparator.comparingLong((Row row) -> -row.window().longestNanos()))
        .limit(10)
        .forEach(row ->
            text.append(
                "%s | %.1f | %.1f%n"
                    .formatted(
                        row.jar(),
                        row.window().p99Nanos() / 1e6,
                        row.window().longestNanos() / 1e6)));
    return text.toString();
  }

  private static String word(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
