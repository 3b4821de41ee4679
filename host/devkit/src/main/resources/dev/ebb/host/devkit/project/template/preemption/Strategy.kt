package {{package}}

import dev.ebb.spi.PolicyContext
import dev.ebb.spi.PreemptionPolicy
import dev.ebb.spi.PreemptionPolicyProvider
import dev.ebb.spi.RunningSequence

/**
 * Preempts the sequence with the fewest tokens to compute again, but spares those that have been
 * preempted often.
 */
internal class {{class}}(private val mostPreemptions: Int) : PreemptionPolicy {

  private val order =
    compareBy<RunningSequence>(
      { it.preemptions() >= mostPreemptions },
      { it.computedTokens() - it.cachedTokens() },
    )

  /** Returns a negative number to preempt the first, 0 for the one admitted last. */
  override fun compare(first: RunningSequence, second: RunningSequence) =
    order.compare(first, second)
}

/** Provides `{{name}}`. */
class {{class}}Provider : PreemptionPolicyProvider {

  override fun name() = "{{name}}"

  override fun create(context: PolicyContext): PreemptionPolicy =
    {{class}}(context.settings().integer("most-preemptions", 3, 0, 1_000).toInt())
}
