package {{package}}

import dev.ebb.spi.PolicyContext
import dev.ebb.spi.TokenPolicy
import dev.ebb.spi.TokenPolicy.Granularity
import dev.ebb.spi.TokenPolicy.Signal
import dev.ebb.spi.TokenPolicy.Trigger
import dev.ebb.spi.TokenPolicyProvider
import dev.ebb.spi.TokenView
import java.lang.foreign.ValueLayout
import java.util.BitSet
import kotlin.math.max
import kotlin.math.min

/** Keeps the first and the newest tokens, and of the others those with small keys. */
internal class {{class}}(private val protectedPrefix: Int, private val recent: Int) : TokenPolicy {

  override fun signals() = setOf(Signal.KEY_NORM)

  override fun granularity() = Granularity.KV_HEAD

  override fun trigger() = Trigger.UNDER_PRESSURE

  override fun protect(view: TokenView, mask: BitSet) {
    val length = view.length()
    mask.set(0, min(protectedPrefix, length))
    mask.set(max(0, length - recent), length)
  }

  /** Scores one value for each KV head and token; the highest stay. */
  override fun score(view: TokenView, layer: Int, out: FloatArray) {
    val norms = view.signal(Signal.KEY_NORM, layer)
    for (i in 0 until view.kvHeads() * view.length()) {
      out[i] = -norms.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i.toLong())
    }
  }
}

/** Provides `{{name}}`. */
class {{class}}Provider : TokenPolicyProvider {

  override fun name() = "{{name}}"

  override fun create(context: PolicyContext): TokenPolicy {
    val settings = context.settings()
    return {{class}}(
      settings.integer("protected-prefix", 4, 0, Int.MAX_VALUE.toLong()).toInt(),
      settings.integer("recent", 16, 1, Int.MAX_VALUE.toLong()).toInt(),
    )
  }
}
