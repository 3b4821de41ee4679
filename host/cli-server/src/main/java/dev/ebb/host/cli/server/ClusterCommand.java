package dev.ebb.host.cli.server;

import dev.ebb.host.admin.cluster.ClusterDocument;
import dev.ebb.host.admin.cluster.ClusterDocument.Member;
import dev.ebb.host.admin.cluster.ClusterValueDocument;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.text.KeyText;
import dev.ebb.host.units.Percent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The group {@code ebb cluster}. */
@Command(name = "cluster", description = "Inspects a cluster of running Ebbs, and drains its nodes")
public final class ClusterCommand extends CommandGroup {

  private static final String CLUSTER = "/api/v1/cluster";
  private static final String NODES = CLUSTER + "/nodes";
  private static final String DRAINING = "draining";
  private static final String DRAINED = "drained";

  ClusterCommand() {
    super("status", "nodes", "values", "drain", "activate");
  }

  @Command(
      description = "Shows the replication and the remote reads of the node that answers",
      footer = {"  ebb cluster status", "  ebb cluster status --url http://10.0.0.2:9090 --json"})
  int status(@Mixin ServerOptions server) {
    return server.show(
        client -> client.get(CLUSTER, ClusterDocument.class), ClusterLines.STATUS::lines);
  }

  @Command(
      description = "Lists the live nodes; * marks the one that answers",
      footer = {"  ebb cluster nodes", "  ebb cluster nodes --json"})
  int nodes(@Mixin ServerOptions server) {
    return server.show(
        client -> client.get(NODES, ClusterDocument.Members.class),
        answer -> ClusterLines.nodes(answer.nodes()));
  }

  @Command(
      description = "Shows which nodes have the values of some keys",
      footer = {"  ebb cluster values system-prompt", "  ebb cluster values hex:00ff10 a --json"})
  int values(
      @Mixin ServerOptions server,
      @Parameters(paramLabel = "KEY", arity = "1..*", description = KeyText.HELP)
          List<KeyText> keys) {
    List<ClusterValueDocument> values = new ArrayList<>();
    Set<String> missing = new LinkedHashSet<>();
    try (AdminClient client = server.open()) {
      for (KeyText key : keys) {
        String path = CLUSTER + "/values?key=" + key.encoded();
        Optional<Answer<ClusterValueDocument>> answer =
            client.find(path, ClusterValueDocument.class);
        if (answer.isEmpty()) {
          missing.addAll(reasons(client, path));
          continue;
        }
        values.add(answer.get().document());
        if (server.wantsJson()) {
          server.print(answer.get().text());
        }
      }
    }
    if (!server.wantsJson() && !values.isEmpty()) {
      server.print(ClusterLines.VALUES.lines(values));
    }
    if (!missing.isEmpty()) {
      throw new UserError(List.copyOf(missing));
    }
    return 0;
  }

  /** Returns why the server has no answer: there is no such value, or no cluster. */
  private static List<String> reasons(AdminClient client, String path) {
    try {
      client.get(path, ClusterValueDocument.class);
      return List.of();
    } catch (UserError refused) {
      return refused.messages();
    }
  }

  @Command(
      description =
          "Starts to hand the values of a node over to other nodes, so that it can be stopped"
              + " without a loss; it continues to serve",
      footer = {"  ebb cluster drain host-2", "  ebb cluster drain host-2 --wait"})
  int drain(
      @Mixin ServerOptions server,
      @Parameters(paramLabel = "NODE", description = "Its name, as 'ebb cluster nodes' shows it")
          String node,
      @Option(names = "--wait", description = "Waits until the node is drained") boolean wait) {
    try (AdminClient client = server.open()) {
      Answer<Member> started = client.send("POST", path(node) + "/drain", Map.of(), Member.class);
      return wait
          ? server.show(drained(client, node), ClusterLines.DRAINED::lines)
          : server.show(started, ClusterLines::draining);
    }
  }

  private static Answer<Member> drained(AdminClient client, String node) {
    Answer<Member> end =
        StatusLine.follow(
            () -> client.find(path(node), Member.class).orElseThrow(() -> lost(node)),
            new DrainEnd(),
            now -> ClusterLines.DRAINING.line(now.document()));
    if (!end.document().state().equals(DRAINED)) {
      throw new UserError(
          "node '%s' is '%s' and not drained: it was activated again; drain it again with 'ebb cluster drain'"
              .formatted(node, end.document().state()));
    }
    if (end.document().values() > 0) {
      throw new UserError(ClusterLines.LEFT_BEHIND.line(end.document()));
    }
    return end;
  }

  /** The end of a drain. The state of another node arrives up to some seconds late. */
  private static final class DrainEnd implements Predicate<Answer<Member>> {
    private static final int LATE = 50;

    private boolean begun;
    private int active;

    @Override
    public boolean test(Answer<Member> now) {
      boolean draining = now.document().state().equals(DRAINING);
      begun |= draining;
      return !draining && (begun || ++active > LATE || now.document().state().equals(DRAINED));
    }
  }

  private static UserError lost(String node) {
    return new UserError(
        "node '%s' left the cluster before it was drained; 'ebb cluster status' shows values with too few copies"
            .formatted(node));
  }

  @Command(
      description = "Lets a draining or drained node take values again",
      footer = {"  ebb cluster activate host-2", "  ebb cluster activate host-2 --json"})
  int activate(
      @Mixin ServerOptions server,
      @Parameters(paramLabel = "NODE", description = "Its name, as 'ebb cluster nodes' shows it")
          String node) {
    return server.show(
        client -> client.send("POST", path(node) + "/activate", Map.of(), Member.class),
        answer -> List.of("node '%s' is %s".formatted(answer.name(), answer.state())));
  }

  private static String path(String node) {
    return NODES + "/" + Percent.encode(node);
  }
}
