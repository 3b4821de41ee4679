package dev.ebb.host.cli.server;

import dev.ebb.host.admin.policy.ConfigDocument;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.client.AdminClient;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A change of the configuration of a running Ebb, with the option {@code --dry-run}. */
public final class ConfigChange {

  /** The call of the API. */
  public static final String CONFIG = "/api/v1/config";

  @Option(names = "--dry-run", description = "Shows what would change, and changes nothing")
  private boolean dryRun;

  /**
   * Changes values, all or none. The request is refused if the configuration changes between the
   * look and the change.
   *
   * @param changes the new values by key; null for the value of the file
   */
  public int send(ServerOptions server, Map<String, @Nullable Object> changes) {
    return server.show(
        client -> client.send("PATCH", CONFIG, wish(client, changes), ConfigDocument.Changed.class),
        answer -> ConfigLines.changes(answer, changes.keySet()));
  }

  private Map<String, Object> wish(AdminClient client, Map<String, @Nullable Object> changes) {
    return dryRun
        ? Map.of("changes", changes, "dryRun", true)
        : Map.of(
            "changes",
            changes,
            "version",
            client.get(CONFIG, ConfigDocument.class).document().version());
  }
}
