package dev.ebb.plugin.predictive;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.RemovalCause;
import org.jspecify.annotations.Nullable;

/** The order that everything is compared with. */
final class LeastRecentlyUsed implements BlockPolicy<LeastRecentlyUsed.Use> {

  private final NodeList<Use> order = new NodeList<>();
  private long size;

  static final class Use extends NodeList.Node<Use> {
    private final Entry entry;

    Use(Entry entry) {
      this.entry = entry;
    }
  }

  @Override
  public Use inserted(Entry entry) {
    Use use = new Use(entry);
    order.addHot(use);
    size++;
    return use;
  }

  @Override
  public void accessed(Use use) {
    if (use.list() == order) {
      order.moveToHot(use);
    }
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Use cold = order.cold();
    return cold == null ? null : cold.entry;
  }

  @Override
  public void removed(Use use, RemovalCause cause) {
    size--;
    if (use.list() == order) {
      order.remove(use);
    }
  }

  @Override
  public void refused(Use use) {
    order.remove(use);
  }

  @Override
  public void released(Use use) {
    order.addCold(use);
  }

  @Override
  public long size() {
    return size;
  }
}
