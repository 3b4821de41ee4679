package dev.ebb.plugin.arc;

import java.util.ArrayList;
import java.util.List;

/**
 * Figure 4 of the paper as one procedure over page names, with array lists from LRU to MRU: the
 * order of its cases is kept, unlike in a policy that receives calls and events in turns.
 */
final class PaperArc {

  final List<String> t1 = new ArrayList<>();
  final List<String> t2 = new ArrayList<>();
  final List<String> b1 = new ArrayList<>();
  final List<String> b2 = new ArrayList<>();
  private final int c;
  private double p;

  PaperArc(int c) {
    this.c = c;
  }

  /** Requests a page; true for a hit. */
  boolean request(String x) {
    if (t1.remove(x) || t2.remove(x)) {
      t2.add(x);
      return true;
    }
    if (b1.contains(x)) {
      p = Math.min(c, p + (b1.size() >= b2.size() ? 1 : (double) b2.size() / b1.size()));
      replace(x);
      b1.remove(x);
      t2.add(x);
    } else if (b2.contains(x)) {
      p = Math.max(0, p - (b2.size() >= b1.size() ? 1 : (double) b1.size() / b2.size()));
      replace(x);
      b2.remove(x);
      t2.add(x);
    } else {
      makeRoomForNew(x);
      t1.add(x);
    }
    return false;
  }

  private void makeRoomForNew(String x) {
    int l1 = t1.size() + b1.size();
    int total = l1 + t2.size() + b2.size();
    if (l1 == c) {
      if (t1.size() < c) {
        b1.removeFirst();
        replace(x);
      } else {
        t1.removeFirst();
      }
    } else if (total >= c) {
      if (total == 2 * c) {
        b2.removeFirst();
      }
      replace(x);
    }
  }

  private void replace(String x) {
    boolean inT1 = !t1.isEmpty() && (t1.size() > p || (b2.contains(x) && t1.size() == p));
    if (inT1) {
      b1.add(t1.removeFirst());
    } else {
      b2.add(t2.removeFirst());
    }
  }
}
