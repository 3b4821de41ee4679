package {{package}}

import dev.ebb.testkit.{{contract}}

internal class {{class}}Test : {{contract}}() {

  override fun provider() = {{class}}Provider()
}
