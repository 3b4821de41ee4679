package {{package}};

import dev.ebb.spi.TokenPolicyProvider;
import dev.ebb.testkit.TokenPolicyContract;

class {{class}}Test extends TokenPolicyContract {

  @Override
  protected TokenPolicyProvider provider() {
    return new {{class}}Provider();
  }
}
