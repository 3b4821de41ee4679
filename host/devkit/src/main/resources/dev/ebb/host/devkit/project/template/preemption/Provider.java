package {{package}};

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.PreemptionPolicyProvider;

/** Provides {@code {{name}}}. */
public final class {{class}}Provider implements PreemptionPolicyProvider {

  /** Called by the service loader. */
  public {{class}}Provider() {}

  @Override
  public String name() {
    return "{{name}}";
  }

  @Override
  public PreemptionPolicy create(PolicyContext context) {
    return new {{class}}((int) context.settings().integer("most-preemptions", 3, 0, 1_000));
  }
}
