package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.RankedBlockPolicy;

class LruContractTest extends BlockPolicyContract {

  @Override
  protected BlockPolicyProvider provider() {
    return new LruProvider();
  }

  /** A right policy in the easy way. */
  static final class LruProvider implements BlockPolicyProvider {
    @Override
    public String name() {
      return "lru";
    }

    @Override
    public BlockPolicy<?> create(PolicyContext context) {
      return new RankedBlockPolicy() {
        @Override
        protected double rank(Entry entry) {
          return entry.lastAccessTick();
        }
      };
    }
  }
}
