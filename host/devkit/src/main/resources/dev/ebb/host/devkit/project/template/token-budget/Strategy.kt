package {{package}}

import dev.ebb.spi.PolicyContext
import dev.ebb.spi.TokenBudget
import dev.ebb.spi.TokenBudgetProvider
import dev.ebb.spi.TokenPolicy.Granularity

/** Keeps more tokens in the lower layers, and lets the heads of a layer compete for some of them. */
internal class {{class}}(private val slope: Double, private val guaranteed: Double) : TokenBudget {

  override fun granularity() = Granularity.KV_HEAD

  /** Returns how many tokens a layer keeps: from `1 + slope` times the mean down to `1 - slope`. */
  override fun share(
    tokens: Double,
    length: Int,
    guarded: Int,
    layer: Int,
    preferences: DoubleArray,
  ): Int {
    val last = preferences.size - 1
    val factor = if (last == 0) 1.0 else 1 + slope * (1 - 2.0 * layer / last)
    return (tokens * factor).toInt()
  }

  /** Returns how many tokens each head of a layer keeps at least. */
  override fun floor(keep: Int) = (keep * guaranteed).toInt()
}

/** Provides `{{name}}`. */
class {{class}}Provider : TokenBudgetProvider {

  override fun name() = "{{name}}"

  override fun create(context: PolicyContext): TokenBudget {
    val settings = context.settings()
    return {{class}}(
      settings.number("slope", 0.5, 0.0, 1.0),
      settings.number("guaranteed", 0.5, 0.0, 1.0),
    )
  }
}
