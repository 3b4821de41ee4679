package acme;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.RemovalCause;
import java.util.HashMap;
import java.util.Map;

/** Evicts the coldest entry of the tenant that needs space, or else the coldest of all. */
public final class OwnFirst implements BlockPolicyProvider {

  @Override
  public String name() {
    return "own-first";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new Policy();
  }

  /** An entry, in the order of all entries. */
  private static final class Node extends NodeList.Node<Node> {
    final Entry entry;
    final OfTenant second = new OfTenant(this);
    String tenant = "";
    boolean usedAside;

    Node(Entry entry) {
      this.entry = entry;
    }
  }

  /** The same entry, in the order of its tenant. */
  private static final class OfTenant extends NodeList.Node<OfTenant> {
    final Node first;

    OfTenant(Node first) {
      this.first = first;
    }
  }

  private static final class Policy implements BlockPolicy<Node> {
    private final NodeList<Node> all = new NodeList<>();
    private final Map<String, NodeList<OfTenant>> tenants = new HashMap<>();
    private long size;

    @Override
    public Node inserted(Entry entry) {
      Node node = new Node(entry);
      add(node, true);
      size++;
      return node;
    }

    @Override
    public void accessed(Node node) {
      if (node.list() == null) {
        node.usedAside = true;
      } else if (node.tenant.equals(tenantOf(node.entry))) {
        all.moveToHot(node);
        node.second.list().moveToHot(node.second);
      } else {
        remove(node);
        add(node, true);
      }
    }

    @Override
    public Entry victim(Demand demand) {
      NodeList<OfTenant> own = demand.tenant() == null ? null : tenants.get(demand.tenant());
      Node node = own == null ? all.cold() : own.cold().first;
      return node == null ? null : node.entry;
    }

    @Override
    public void refused(Node node) {
      remove(node);
    }

    @Override
    public void released(Node node) {
      add(node, node.usedAside);
      node.usedAside = false;
    }

    @Override
    public void removed(Node node, RemovalCause cause) {
      if (node.list() != null) {
        remove(node);
      }
      size--;
    }

    @Override
    public long size() {
      return size;
    }

    private void add(Node node, boolean hot) {
      node.tenant = tenantOf(node.entry);
      NodeList<OfTenant> own = tenants.computeIfAbsent(node.tenant, tenant -> new NodeList<>());
      if (hot) {
        all.addHot(node);
        own.addHot(node.second);
      } else {
        all.addCold(node);
        own.addCold(node.second);
      }
    }

    private void remove(Node node) {
      all.remove(node);
      NodeList<OfTenant> own = node.second.list();
      own.remove(node.second);
      if (own.size() == 0) {
        tenants.remove(node.tenant);
      }
    }

    private static String tenantOf(Entry entry) {
      return entry.tenant() == null ? "" : entry.tenant();
    }
  }
}
