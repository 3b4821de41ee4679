package dev.ebb.host.admin;

import dev.ebb.host.http.Body;
import dev.ebb.host.http.Call;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.policy.PolicyDescription;
import java.util.List;
import java.util.Map;

/** Which eviction policies there are, and which is in force. */
final class PolicyRoutes {

  private static final String KEY = "ebb.eviction.policy";

  private final Operated process;

  PolicyRoutes(Operated process) {
    this.process = process;
  }

  private record InForce(String policy, String configured) {}

  private record Listed(String policy, List<PolicyDescription> policies) {}

  private record Changed(String policy, String before) {}

  void addTo(Routes routes) {
    routes
        .add("GET", "/api/v1/policies", this::list)
        .add("GET", "/api/v1/policy", this::show)
        .add("PUT", "/api/v1/policy", this::change);
  }

  private Reply list(Call call) {
    call.query();
    return Reply.json(new Listed(inForce(), process.host().descriptions().all()));
  }

  private Reply show(Call call) {
    call.query();
    return Reply.json(new InForce(inForce(), configured()));
  }

  private Reply change(Call call) {
    Body body = call.body("policy");
    String before = inForce();
    process.config().commit(Map.of(KEY, body.text("policy")));
    return Reply.json(new Changed(inForce(), before));
  }

  private String inForce() {
    return process.policy().get();
  }

  private String configured() {
    return process.config().config().eviction().policy().name();
  }
}
