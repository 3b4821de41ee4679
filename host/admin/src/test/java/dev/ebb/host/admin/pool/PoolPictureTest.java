package dev.ebb.host.admin.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.pool.BlockMap;
import java.util.List;
import org.junit.jupiter.api.Test;

class PoolPictureTest {

  private enum Use {
    FREE,
    HELD,
    RARE
  }

  private static final class Blocks extends BlockMap<Use> {
    Blocks(int blocks) {
      super(List.of(Use.values()), Use.FREE, blocks);
    }
  }

  private static PoolPicture draw(Blocks map, int cells) {
    return PoolPicture.of("pool", map, cells, use -> use.name().charAt(0));
  }

  @Test
  void aCellShowsWhatMostOfItsBlocksAre() {
    Blocks map = new Blocks(10);
    for (int block = 0; block < 5; block++) {
      map.set(block, Use.HELD);
    }
    PoolPicture picture = draw(map, 4);

    assertThat(picture.cellBlocks()).isEqualTo(3);
    assertThat(picture.cells()).isEqualTo("HHFF");
    assertThat(picture.uses()).containsEntry("held", 5).containsEntry("free", 5);
    assertThat(picture.shares()).containsEntry("held", "9600").containsEntry("free", "0399");
  }

  @Test
  void oneBlockOfManyIsStillSeen() {
    Blocks map = new Blocks(1_000);
    map.set(500, Use.RARE);
    for (int block = 0; block < 499; block++) {
      map.set(block, Use.HELD);
    }
    PoolPicture picture = draw(map, 2);

    assertThat(picture.cells()).isEqualTo("HF");
    assertThat(picture.shares())
        .containsEntry("rare", "01")
        .containsEntry("held", "80")
        .containsEntry("free", "18");
  }

  @Test
  void aPictureIsNoLongerThanWasAskedFor() {
    for (int blocks : new int[] {1, 7, 64, 1_000, 1_000_003}) {
      for (int cells : new int[] {1, 3, 64, 1_000}) {
        PoolPicture picture = draw(new Blocks(blocks), cells);
        assertThat(picture.cells().length()).isBetween(1, Math.min(cells, blocks));
        assertThat(picture.shares().values())
            .allMatch(shares -> shares.length() == picture.cells().length());
        assertThat((long) picture.cells().length() * picture.cellBlocks())
            .isGreaterThanOrEqualTo(blocks);
      }
    }
  }

  @Test
  void theTenantsWithMostBlocksAreNamed() {
    Blocks map = new Blocks(100);
    int next = 0;
    for (int tenant = 0; tenant < 12; tenant++) {
      for (int i = 0; i <= tenant; i++) {
        map.assign(next++, "tenant-%02d".formatted(tenant));
      }
    }
    map.assign(99, null);
    PoolPicture picture = draw(map, 100);

    assertThat(picture.tenants())
        .extracting(PoolPicture.Held::name)
        .hasSize(PoolPicture.MOST_TENANTS)
        .startsWith("tenant-11", "tenant-10")
        .endsWith("tenant-04");
    assertThat(picture.tenants().getFirst().blocks()).isEqualTo(12);
    assertThat(picture.tenants().getFirst().shares())
        .isEqualTo("0".repeat(66) + "9".repeat(12) + "0".repeat(22));
    assertThat(draw(new Blocks(3), 3).tenants()).isEmpty();
  }
}
