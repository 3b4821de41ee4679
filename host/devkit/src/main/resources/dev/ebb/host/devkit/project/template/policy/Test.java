package {{package}};

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.testkit.BlockPolicyContract;

class {{class}}Test extends BlockPolicyContract {

  @Override
  protected BlockPolicyProvider provider() {
    return new {{class}}Provider();
  }
}
