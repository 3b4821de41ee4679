package dev.ebb.host.app;

import java.net.InetSocketAddress;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/**
 * A client that connects when it is first used, sends no commands of its own, and waits a minute
 * for a reply.
 */
public final class LazyJedis extends Jedis {

  private static final int PATIENCE_MILLIS = 60_000;

  public LazyJedis(InetSocketAddress address) {
    super(
        new Connection(
            new DefaultJedisSocketFactory(
                new HostAndPort(address.getHostString(), address.getPort()),
                DefaultJedisClientConfig.builder().socketTimeoutMillis(PATIENCE_MILLIS).build())));
  }
}
