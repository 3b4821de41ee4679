package dev.ebb.host.cli.pool;

import dev.ebb.host.admin.policy.CurveDocument;
import dev.ebb.host.admin.policy.ShadowDocument;
import dev.ebb.host.admin.policy.ShadowDocument.Candidate;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.cli.policy.ShadowLines;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.Percent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ebb pool advise}: what other amounts of memory would bring. */
@Command(
    name = "advise",
    description =
        "Estimates the hits of a running Ebb with more and with less memory, on a sample of its"
            + " traffic",
    footer = {"  ebb pool advise", "  ebb pool advise --memory 0.5,1.5,2,3 --wait 3600"})
final class PoolAdviseCommand implements Callable<Integer> {

  private static final String SHADOWS = "/api/v1/shadows";
  private static final String USUAL = "0.25,0.5,2,4";
  private static final int LONGEST_SECONDS = 7 * 24 * 3600;

  @Mixin private ServerOptions server;

  @Option(
      names = "--memory",
      paramLabel = "LIST",
      description =
          "How many times the pool's memory, from 0.1 to 16; by default 0.25,0.5,2,4, which Ebb"
              + " measures always unless ebb.shadow.curve is false")
  private @Nullable String memory;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "600",
      description =
          "How long to wait for enough traffic; by default 600. What is known by then is shown")
  private int wait;

  @Option(names = "--keep", description = "Let the estimates go on afterwards")
  private boolean keep;

  @Override
  public Integer call() {
    server.between("--wait", wait, 1, LONGEST_SECONDS);
    List<String> wanted =
        Arrays.stream((memory == null ? USUAL : memory).split(",", -1))
            .map(each -> candidate(each.strip()))
            .toList();
    try (AdminClient client = server.open()) {
      if (memory == null) {
        Answer<CurveDocument> curve = client.get("/api/v1/pool/curve", CurveDocument.class);
        if (curve.document().points().size() > 1) {
          return server.show(curve, CurveLines::of);
        }
      }
      Set<String> before = candidates(client.get(SHADOWS, ShadowDocument.class).document());
      Answer<ShadowDocument> begun =
          client.send("POST", SHADOWS, Map.of("policies", wanted), ShadowDocument.class);
      try {
        return server.show(enough(client), ShadowLines::memory);
      } finally {
        if (!keep) {
          candidates(begun.document()).stream()
              .filter(each -> !before.contains(each) && each.contains("@"))
              .forEach(each ->
                  client.delete(SHADOWS + "/" + Percent.encode(each), ShadowDocument.class));
        }
      }
    }
  }

  private String candidate(String times) {
    try {
      return ShadowSpec.parse("active@" + times + "x", "--memory").display();
    } catch (UserError wrong) {
      throw server.wrong(
          "--memory: '%s' must be a number from 0.1 to 16 other than 1, or several with commas between them, such as 0.5,2"
              .formatted(times));
    }
  }

  private Answer<ShadowDocument> enough(AdminClient client) {
    long end = System.nanoTime() + Duration.ofSeconds(wait).toNanos();
    return StatusLine.follow(
        () -> client.get(SHADOWS, ShadowDocument.class),
        answer ->
            System.nanoTime() > end
                || answer.document().candidates().stream().noneMatch(this::isAwaited),
        answer -> progress(answer.document()));
  }

  private boolean isAwaited(Candidate candidate) {
    return !candidate.enough() && !candidate.state().equals("failed");
  }

  private static String progress(ShadowDocument answer) {
    List<Candidate> candidates = answer.candidates();
    long warm = candidates.stream().filter(each -> !each.state().equals("warming-up")).count();
    return answer.since() == null
        ? "simulated caches are filling with the traffic of clients; without any, --wait ends this"
        : "%,d of %,d have enough traffic"
            .formatted(candidates.stream().filter(Candidate::enough).count(), warm);
  }

  private static Set<String> candidates(ShadowDocument answer) {
    return answer.candidates().stream().map(Candidate::policy).collect(Collectors.toSet());
  }
}
