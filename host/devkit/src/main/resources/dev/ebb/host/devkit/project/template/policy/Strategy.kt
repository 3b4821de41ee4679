package {{package}}

import dev.ebb.spi.BlockPolicy
import dev.ebb.spi.BlockPolicyProvider
import dev.ebb.spi.Entry
import dev.ebb.spi.PolicyContext
import dev.ebb.spi.RankedBlockPolicy
import kotlin.math.log2

/** Orders by last use, and adds some seconds for each doubling of the uses. */
internal class {{class}}(private val bonus: Double) : RankedBlockPolicy() {

  /** Returns the rank: the lowest is evicted first, of equals the least recently used. */
  override fun rank(entry: Entry): Double =
    entry.lastAccessNanos() / 1e9 + bonus * log2(entry.accesses().toDouble())
}

/** Provides `{{name}}`. */
class {{class}}Provider : BlockPolicyProvider {

  override fun name() = "{{name}}"

  override fun create(context: PolicyContext): BlockPolicy<*> =
    {{class}}(context.settings().number("bonus", 60.0, 0.0, 1e6))
}
