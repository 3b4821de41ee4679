package dev.ebb.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeListTest {

  private static final class Item extends NodeList.Node<Item> {}

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void keepsTheOrderOfAnArrayList(long seed) {
    Random random = new Random(seed);
    NodeList<Item> list = new NodeList<>();
    List<Item> coldToHot = new ArrayList<>();
    for (int step = 0; step < 5_000; step++) {
      Item newcomer = new Item();
      int at = coldToHot.isEmpty() ? 0 : random.nextInt(coldToHot.size());
      switch (random.nextInt(coldToHot.isEmpty() ? 2 : 7)) {
        case 0 -> {
          list.addHot(newcomer);
          coldToHot.add(newcomer);
        }
        case 1 -> {
          list.addCold(newcomer);
          coldToHot.add(0, newcomer);
        }
        case 2 -> {
          list.addColderThan(newcomer, coldToHot.get(at));
          coldToHot.add(at, newcomer);
        }
        case 3 -> {
          list.moveToHot(coldToHot.get(at));
          coldToHot.add(coldToHot.remove(at));
        }
        default -> {
          list.remove(coldToHot.get(at));
          assertThat(coldToHot.remove(at).list()).isNull();
        }
      }
      assertSame(list, coldToHot);
    }
  }

  private static void assertSame(NodeList<Item> list, List<Item> coldToHot) {
    List<Item> upwards = new ArrayList<>();
    for (Item item = list.cold(); item != null; item = list.hotter(item)) {
      upwards.add(item);
      assertThat(item.list()).isSameAs(list);
    }
    List<Item> downwards = new ArrayList<>();
    for (Item item = list.hot(); item != null; item = list.colder(item)) {
      downwards.add(item);
    }
    assertThat(upwards).isEqualTo(coldToHot);
    assertThat(downwards).isEqualTo(coldToHot.reversed());
    assertThat(list.size()).isEqualTo(coldToHot.size());
    assertThat(list.isEmpty()).isEqualTo(coldToHot.isEmpty());
  }

  @Test
  void refusesANodeThatIsInAnyList() {
    NodeList<Item> list = new NodeList<>();
    NodeList<Item> other = new NodeList<>();
    Item item = new Item();
    list.addHot(item);
    for (NodeList<Item> taker : List.of(list, other)) {
      assertThatIllegalStateException().isThrownBy(() -> taker.addHot(item));
      assertThatIllegalStateException().isThrownBy(() -> taker.addCold(item));
    }
    assertThat(list.size()).isOne();
    assertThat(other.isEmpty()).isTrue();
  }

  @Test
  void refusesANodeOfAnotherList() {
    NodeList<Item> list = new NodeList<>();
    NodeList<Item> other = new NodeList<>();
    Item item = new Item();
    other.addHot(item);
    assertThatIllegalStateException().isThrownBy(() -> list.remove(item));
    assertThatIllegalStateException().isThrownBy(() -> list.moveToHot(item));
    assertThatIllegalStateException().isThrownBy(() -> list.addColderThan(new Item(), item));
    assertThatIllegalStateException().isThrownBy(() -> list.remove(new Item()));
    assertThat(other.hot()).isSameAs(item);
  }
}
