"""The bounded cache and its evictions."""

from exchange.core.lru import LruCache


def test_the_least_recently_used_entry_is_evicted_first():
    kept: LruCache[str, int] = LruCache(2)
    kept.put("a", 1)
    kept.put("b", 2)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (1, 2, None)
    kept.get("a")
    kept.put("c", 3)
    assert [kept.get(key) for key in "abc"] == [1, None, 3]
    # Storing again counts as use.
    kept.put("a", 4)
    kept.put("d", 5)
    assert [kept.get(key) for key in "acd"] == [4, None, 5]
