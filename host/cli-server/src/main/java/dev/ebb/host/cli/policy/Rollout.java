package dev.ebb.host.cli.policy;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.admin.cluster.ClusterDocument.Member;
import dev.ebb.host.admin.cluster.ClusterDocument.Members;
import dev.ebb.host.admin.rollout.CanaryDocument;
import dev.ebb.host.admin.rollout.CanaryDocument.Traffic;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.TimeSpan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A rollout: one node tries a policy first, and is compared with the other nodes and with a shadow
 * of its policy before. Then all nodes switch, or the first one goes back. Each node goes back by
 * itself unless it is told to keep the policy, so that this process may end at any time.
 */
final class Rollout implements AutoCloseable {

  static final String CANARY = "/api/v1/policy/canary";

  /**
   * How long a node waits for the end of a rollout that has disappeared; tests of whole commands
   * shorten it by a system property.
   */
  private static final int GRACE_SECONDS = Math.max(1, Integer.getInteger("ebb.rollout.grace", 30));

  private final @Nullable String policy;
  private final Duration length;
  private final KeepCondition condition;
  private final AdminClient canary;
  private final String name;

  /** The other nodes by name. */
  private final Map<String, AdminClient> others = new HashMap<>();

  private final Map<String, Traffic> atStart = new HashMap<>();
  private volatile boolean running;

  /**
   * Prepares a rollout.
   *
   * @param policy null for the changed JARs of the plugin folders
   * @param node the node that starts; null for the one that answers
   * @throws UserError if there is no such node
   */
  Rollout(
      ServerOptions server,
      @Nullable String policy,
      @Nullable String node,
      Duration length,
      KeepCondition condition) {
    this.policy = policy;
    this.length = length;
    this.condition = condition;
    AdminClient answering = server.open();
    List<Member> members = members(answering, node);
    Member first = members.isEmpty() ? null : first(members, node);
    name = first == null ? "this node" : "node '%s'".formatted(first.name());
    if (policy == null && members.size() < 2) {
      answering.close();
      throw new UserError(
          "new JARs need a second node to compare with: they replace the version that a shadow would run");
    }
    canary = first == null || first.self() ? answering : server.open(admin(first));
    for (Member member : members) {
      if (member != first) {
        others.put(member.name(), member.self() ? answering : server.open(admin(member)));
      }
    }
  }

  /** Returns the nodes of the cluster; none if there is no cluster and no node is named. */
  private static List<Member> members(AdminClient client, @Nullable String node) {
    String path = "/api/v1/cluster/nodes";
    return node == null
        ? client.find(path, Members.class).map(found -> found.document().nodes()).orElse(List.of())
        : client.get(path, Members.class).document().nodes();
  }

  private static Member first(List<Member> members, @Nullable String node) {
    return members.stream()
        .filter(member -> node == null ? member.self() : member.name().equals(node))
        .findFirst()
        .orElseThrow(() ->
            new UserError(
                "--canary: no node '%s'; the cluster has %s"
                    .formatted(
                        node,
                        members.stream().map(Member::name).collect(Collectors.joining(", ")))));
  }

  private static String admin(Member member) {
    if (member.admin() == null) {
      throw new UserError(
          "node '%s' has no admin server; set ebb.admin.enabled = true there"
              .formatted(member.name()));
    }
    return member.admin();
  }

  /**
   * Runs the rollout.
   *
   * @return the state of the first node at the end
   * @throws UserError if the policy is not kept
   */
  Answer<CanaryDocument> run() {
    others.forEach((node, client) -> atStart.put(node, traffic(client)));
    Thread onInterrupt = new Thread(this::interrupted, "ebb-rollout-stop");
    Runtime.getRuntime().addShutdownHook(onInterrupt);
    try {
      running = true;
      CanaryDocument started = start(canary, name, (int) length.toSeconds() + GRACE_SECONDS, true);
      CanaryDocument last = follow(started.id());
      String obstacle = obstacle(last);
      if (obstacle != null) {
        String failure = back(canary);
        throw new UserError(
            !last.state().equals("running")
                ? "%s has ended the trial: %s".formatted(name, obstacle)
                : failure == null
                    ? "%s is back on policy '%s': %s".formatted(name, last.before(), obstacle)
                    : stuck(name, last.before(), obstacle, failure));
      }
      switchOthers();
      return canary.send("POST", CANARY + "/keep", Map.of(), CanaryDocument.class);
    } finally {
      running = false;
      removed(onInterrupt);
    }
  }

  private CanaryDocument start(AdminClient node, String named, int seconds, boolean shadow) {
    Map<String, Object> body = new HashMap<>(Map.of("seconds", seconds));
    if (policy != null) {
      body.put("policy", policy);
      body.put("shadow", shadow);
    }
    return on(named, () -> node.send("POST", CANARY, body, CanaryDocument.class).document());
  }

  private static <T> T on(String node, Supplier<T> call) {
    try {
      return call.get();
    } catch (UserError refused) {
      throw new UserError(refused.messages().stream().map(each -> node + ": " + each).toList());
    }
  }

  private static Traffic traffic(AdminClient client) {
    return client.get("/api/v1/stats", ProcessDocument.class).document().requested();
  }

  /** Waits for the end of the trial. */
  private CanaryDocument follow(long id) {
    return on(
        name,
        () ->
            StatusLine.follow(
                () -> now(id),
                now ->
                    !now.state().equals("running")
                        || now.failure() != null
                        || now.secondsLeft() <= GRACE_SECONDS,
                now -> String.join(", ", progress(now))));
  }

  private CanaryDocument now(long id) {
    return canary
        .find(CANARY, CanaryDocument.class)
        .map(Answer::document)
        .filter(found -> found.id() == id)
        .orElseThrow(() ->
            new UserError(
                "it was started again, which ends the rollout; it has its configured policy, and the other nodes have not changed"));
  }

  private List<String> progress(CanaryDocument now) {
    List<String> parts = new ArrayList<>();
    parts.add(
        "%s tries '%s', %s left"
            .formatted(
                name, now.policy(), TimeSpan.format(now.secondsLeft() - (double) GRACE_SECONDS)));
    parts.addAll(comparisons(now).values().stream().map(Comparison::text).toList());
    return parts;
  }

  /** A difference in points, and what it is. */
  private record Comparison(double difference, String text) {}

  /** Returns the comparisons with the shadow and with the other nodes. */
  private Map<String, Comparison> comparisons(CanaryDocument now) {
    Map<String, Comparison> all = new HashMap<>();
    if (policy != null) {
      add(all, "its shadow of '%s'".formatted(now.before()), condition.difference(now.shadow()));
    }
    if (!others.isEmpty()) {
      add(all, "the other nodes", condition.difference(now.traffic(), others()));
    }
    return all;
  }

  private void add(Map<String, Comparison> all, String with, double difference) {
    all.put(
        with,
        new Comparison(
            difference,
            "%s %s by comparison with %s"
                .formatted(condition.metric(), KeepCondition.shown(difference), with)));
  }

  private Traffic others() {
    long[] sum = new long[4];
    others.forEach((node, client) -> {
      Traffic start = requireNonNull(atStart.get(node));
      Traffic now = traffic(client);
      sum[0] += now.prefixLookups() - start.prefixLookups();
      sum[1] += now.prefixHits() - start.prefixHits();
      sum[2] += now.requests() - start.requests();
      sum[3] += now.hits() - start.hits();
    });
    return new Traffic(sum[0], sum[1], sum[2], sum[3]);
  }

  /** Returns why the policy is not kept; null if it is. */
  private @Nullable String obstacle(CanaryDocument last) {
    if (!last.state().equals("running") || last.failure() != null) {
      return String.valueOf(last.reason());
    }
    List<Comparison> known =
        comparisons(last).values().stream().filter(each -> !Double.isNaN(each.difference)).toList();
    if (known.isEmpty()) {
      return "too few requests to compare; let it run longer with --for, choose a node with more traffic, or compare by hitRatio with --keep-if if clients send no prompts";
    }
    String missed =
        known.stream()
            .filter(each -> !condition.isMet(each.difference))
            .map(Comparison::text)
            .collect(Collectors.joining(", "));
    return missed.isEmpty() ? null : "'%s' is not met: %s".formatted(condition.text(), missed);
  }

  /** Switches the other nodes. If one of them refuses, all go back. */
  private void switchOthers() {
    List<AdminClient> switched = new ArrayList<>();
    try {
      others.forEach((node, client) -> {
        start(client, "node '%s'".formatted(node), GRACE_SECONDS, false);
        switched.add(client);
      });
    } catch (UserError refused) {
      switched.add(canary);
      List<String> failures =
          switched.stream().map(Rollout::back).filter(Objects::nonNull).distinct().toList();
      List<String> messages = new ArrayList<>(refused.messages());
      messages.add(
          failures.isEmpty()
              ? "the nodes that had switched are back on the policy before"
              : stuck("a node", "before", "another node has refused", String.join("; ", failures)));
      throw new UserError(messages);
    }
    others.forEach((node, client) ->
        on(
            "node '%s'".formatted(node),
            () -> client.send("POST", CANARY + "/keep", Map.of(), CanaryDocument.class)));
  }

  /**
   * Asks a node to go back. One that does not answer goes back by itself.
   *
   * @return why it could not; null if it is back
   */
  private static @Nullable String back(AdminClient node) {
    try {
      node.delete(CANARY, CanaryDocument.class);
      return null;
    } catch (UserError refused) {
      return failure(node);
    }
  }

  private static @Nullable String failure(AdminClient node) {
    try {
      return node.find(CANARY, CanaryDocument.class)
          .map(found -> found.document().failure())
          .orElse(null);
    } catch (UserError unreachable) {
      return null;
    }
  }

  private static String stuck(String node, String before, String obstacle, String failure) {
    return "%s cannot go back to policy '%s' (%s): %s; it tries again, see 'ebb rollout status'; remove the cause, or choose a policy there with 'ebb policy set NAME'"
        .formatted(node, before, obstacle, failure);
  }

  /** Returns what a node tries, or has tried last, for a terminal. */
  static List<String> status(CanaryDocument canary) {
    List<String> lines = new ArrayList<>();
    lines.add("policy  %s".formatted(canary.policy()));
    lines.add("before  %s".formatted(canary.before()));
    lines.add(
        "state   %s%s"
            .formatted(
                canary.failure() == null ? canary.state() : "cannot go back",
                canary.secondsLeft() > 0
                    ? ", %s left".formatted(TimeSpan.format((double) canary.secondsLeft()))
                    : ""));
    if (canary.reason() != null) {
      lines.add("reason  %s".formatted(canary.reason()));
    }
    if (canary.failure() != null) {
      lines.add("failure %s".formatted(canary.failure()));
      lines.add("The node tries again. Remove the cause, or use 'ebb policy set NAME'.");
    }
    return lines;
  }

  private void interrupted() {
    if (running) {
      back(canary);
      System.err.println("ebb: interrupted; " + name + " goes back to the policy before");
    }
  }

  private static void removed(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      // The hook runs.
    }
  }

  /** Returns what was measured, for a terminal. */
  List<String> lines(CanaryDocument kept) {
    List<String> lines = new ArrayList<>();
    lines.add(
        others.isEmpty()
            ? "policy '%s' is kept on %s".formatted(kept.policy(), name)
            : "policy '%s' is active on all %d nodes".formatted(kept.policy(), others.size() + 1));
    comparisons(kept).values().forEach(each -> lines.add("  " + each.text()));
    return lines;
  }

  @Override
  public void close() {
    canary.close();
    others.values().forEach(AdminClient::close);
  }
}
