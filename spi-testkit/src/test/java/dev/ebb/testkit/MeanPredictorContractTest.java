package dev.ebb.testkit;

import dev.ebb.spi.LifetimePredictorProvider;

class MeanPredictorContractTest extends LifetimePredictorContract {

  @Override
  protected LifetimePredictorProvider provider() {
    return new MeanPredictorProvider();
  }
}
