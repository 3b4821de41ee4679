package {{package}};

import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.testkit.LifetimePredictorContract;

class {{class}}Test extends LifetimePredictorContract {

  @Override
  protected LifetimePredictorProvider provider() {
    return new {{class}}Provider();
  }
}
