package {{package}}

import dev.ebb.spi.Entry
import dev.ebb.spi.LifetimePredictor
import dev.ebb.spi.LifetimePredictorProvider
import dev.ebb.spi.PolicyContext
import dev.ebb.spi.Prediction

/** Predicts the mean time between two uses for every entry. */
internal class {{class}}(private val halfSureAfter: Double) : LifetimePredictor {

  private var idleSeconds = 0.0
  private var observed = 0L

  override fun observe(entry: Entry, event: LifetimePredictor.Event, idle: Double) {
    if (event == LifetimePredictor.Event.REUSED) {
      idleSeconds += idle
      observed++
    }
  }

  override fun predict(entry: Entry, out: Prediction) {
    out.set(
      if (observed == 0L) 0.0 else idleSeconds / observed,
      observed / (observed + halfSureAfter),
    )
  }
}

/** Provides `{{name}}`. */
class {{class}}Provider : LifetimePredictorProvider {

  override fun name() = "{{name}}"

  override fun create(context: PolicyContext): LifetimePredictor =
    {{class}}(context.settings().integer("half-sure-after", 100, 1, 1_000_000_000).toDouble())
}
