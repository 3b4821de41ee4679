package {{package}};

import dev.ebb.spi.PreemptionPolicyProvider;
import dev.ebb.testkit.PreemptionPolicyContract;

class {{class}}Test extends PreemptionPolicyContract {

  @Override
  protected PreemptionPolicyProvider provider() {
    return new {{class}}Provider();
  }
}
