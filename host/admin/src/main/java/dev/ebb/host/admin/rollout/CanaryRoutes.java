package dev.ebb.host.admin.rollout;

import dev.ebb.host.admin.rollout.CanaryDocument.Traffic;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.runtime.PolicyRuntime;
import java.time.Duration;
import java.util.function.Supplier;

/** Routes for a policy that this node tries before the others. */
public final class CanaryRoutes implements AutoCloseable {

  private static final String PATH = "/api/v1/policy/canary";
  private static final int WEEK_SECONDS = 7 * 86_400;

  private final Canary canary;

  /** Creates the routes. */
  public CanaryRoutes(PolicyRuntime runtime, Supplier<Traffic> traffic) {
    canary = new Canary(runtime, traffic);
  }

  public void addTo(Routes routes) {
    routes
        .document(
            Operation.get(PATH, CanaryDocument.class, "the policy that this node tries, or tried"),
            canary::document)
        .document(
            Operation.post(
                    PATH,
                    CanaryDocument.class,
                    "tries a policy, or new JARs of plugins, and goes back unless it is kept")
                .status(201)
                .body(
                    Field.text(
                        "policy",
                        "its name and, in parentheses, its settings; without it the node loads the"
                            + " changed JARs of its plugin folder"),
                    Field.integer("seconds", 1, WEEK_SECONDS, "time until it goes back").needed(),
                    Field.of(
                        "shadow",
                        Field.Type.FLAG,
                        "whether a shadow estimates the policy before; default true")),
            this::start)
        .document(
            Operation.post(PATH + "/keep", CanaryDocument.class, "keeps what this node tries"),
            this::keep)
        .document(
            Operation.delete(PATH, CanaryDocument.class, "goes back immediately"),
            () -> canary.revert("an operator, or the command that started it, has ended it"));
  }

  private CanaryDocument start(ServerRequest request) {
    Body body = request.body();
    Duration life = Duration.ofSeconds(body.integer("seconds"));
    return body.has("policy")
        ? canary.start(
            PolicySpec.parse(body.text("policy"), "policy"), life, body.flag("shadow", true))
        : canary.startJars(life);
  }

  private CanaryDocument keep(ServerRequest request) {
    request.body();
    return canary.keep();
  }

  @Override
  public void close() {
    canary.close();
  }
}
