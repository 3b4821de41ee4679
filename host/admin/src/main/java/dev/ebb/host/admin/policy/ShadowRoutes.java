package dev.ebb.host.admin.policy;

import dev.ebb.host.config.ShadowConfig;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.switching.SwitchCause;
import dev.ebb.host.units.Percent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Routes for shadow policies, and for the memory curve, which they measure. */
public final class ShadowRoutes {

  private static final String KEY = ShadowConfig.POLICIES.path();

  private final PolicyRuntime runtime;

  public ShadowRoutes(PolicyRuntime runtime) {
    this.runtime = runtime;
  }

  public void addTo(Routes routes) {
    routes
        .document(
            Operation.get(
                "/api/v1/shadows", ShadowDocument.class, "shadow policies and their estimates"),
            this::show)
        .document(
            Operation.get(
                "/api/v1/pool/curve",
                CurveDocument.class,
                "the hit ratio with a quarter to four times the memory of the pool"),
            () -> CurveDocument.of(runtime.curve().report()))
        .document(
            Operation.post("/api/v1/shadows", ShadowDocument.class, "starts shadow policies")
                .status(201)
                .body(Field.of("policies", Field.Type.TEXTS, "their names and settings").needed()),
            this::add)
        .document(
            Operation.delete("/api/v1/shadows/{policy}", ShadowDocument.class, "stops one"),
            this::remove);
  }

  private ShadowDocument show() {
    return ShadowDocument.of(runtime.shadows().report());
  }

  private ShadowDocument add(ServerRequest request) {
    List<String> added = policies(request.body());
    Set<String> all = new LinkedHashSet<>(wanted());
    all.addAll(added);
    return change(List.copyOf(all));
  }

  private ShadowDocument remove(ServerRequest request) {
    String policy = Percent.decodeText(request.path("policy"));
    List<String> all = new ArrayList<>(wanted());
    if (!all.removeIf(each -> each.equals(policy) || shown(each).equals(policy))) {
      throw new HttpException(404, "no shadow '%s'; there are %s".formatted(policy, all));
    }
    return change(all);
  }

  private static List<String> policies(Body body) {
    return body.texts("policies", "a list of policies, such as [\"sieve\", \"arc\"]").stream()
        .map(each -> ShadowSpec.parse(each, "policies").display())
        .toList();
  }

  private List<String> wanted() {
    return runtime.config().config().shadow().policies().stream().map(ShadowSpec::display).toList();
  }

  private String shown(String wanted) {
    return ShadowSpec.parse(wanted, KEY).withActive(runtime.policy());
  }

  private ShadowDocument change(List<String> policies) {
    runtime.config().commit(Map.of(KEY, policies), SwitchCause.OPERATOR);
    return show();
  }
}
