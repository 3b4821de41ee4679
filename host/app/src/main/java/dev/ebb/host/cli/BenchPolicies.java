package dev.ebb.host.cli;

import dev.ebb.host.admin.PolicyDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.errors.ForeignNames;
import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** The policy of a running Ebb, changed for a comparison and restored in any case. */
final class BenchPolicies implements AutoCloseable {

  private final AdminClient client;
  private final String before;
  private final AtomicBoolean restored = new AtomicBoolean();
  private final Thread onShutdown = new Thread(this::restoreQuietly, "restore policy");

  /**
   * Reads the active policy.
   *
   * @throws UserError if the server does not know one of the names
   */
  BenchPolicies(AdminClient client, List<String> wanted) {
    this.client = client;
    PolicyDocument.All answer = client.get("/api/v1/policies", PolicyDocument.All.class).document();
    List<String> names = answer.policies().stream().map(policy -> policy.name()).toList();
    for (String policy : wanted) {
      if (!names.contains(policy)) {
        throw new UserError(
            "--policies: no policy named '%s'%s at '%s'; available: %s"
                .formatted(
                    policy,
                    ForeignNames.POLICY.hint(policy, names),
                    client.server().base(),
                    names));
      }
    }
    before = answer.policy();
    Runtime.getRuntime().addShutdownHook(onShutdown);
  }

  void use(String policy) {
    client.send("PUT", "/api/v1/policy", Map.of("policy", policy), PolicyDocument.Changed.class);
  }

  /** Checks that the policy is still active: a failed one has not been measured. */
  void expect(String policy) {
    String now = client.get("/api/v1/policy", PolicyDocument.class).document().policy();
    if (!now.equals(policy)) {
      throw new UserError(
          "'%s' was active at the end of the turn of '%s'; the server's log says why"
              .formatted(now, policy));
    }
  }

  private void restore() {
    if (restored.compareAndSet(false, true)) {
      use(before);
    }
  }

  private void restoreQuietly() {
    try {
      restore();
    } catch (UserError gone) {
      // The connection may be gone: there is no way to report it.
    }
  }

  @Override
  public void close() {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(onShutdown);
    } catch (IllegalStateException endingAlready) {
      // The hook then runs, and finds it done.
    }
  }
}
