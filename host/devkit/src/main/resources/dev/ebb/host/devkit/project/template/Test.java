package {{package}};

import dev.ebb.spi.{{service}};
import dev.ebb.testkit.{{contract}};

class {{class}}Test extends {{contract}} {

  @Override
  protected {{service}} provider() {
    return new {{class}}Provider();
  }
}
