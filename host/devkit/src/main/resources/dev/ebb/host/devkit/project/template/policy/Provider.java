package {{package}};

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code {{name}}}. */
public final class {{class}}Provider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public {{class}}Provider() {}

  @Override
  public String name() {
    return "{{name}}";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new {{class}}(context.settings().number("bonus", 60, 0, 1e6));
  }
}
