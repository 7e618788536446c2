"""Each language's symbols and imports, from a gold fixture of its own."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.codemap.languages import language_of, languages
from postil.codemap.parse import hash_of, parse

GOLD: dict[str, tuple[str, list[str], list[str]]] = {
    "a.py": (
        '''
        """Module."""
        import os, sys as system
        from . import near
        from pkg.sub import (
            one,
            two,
        )
        LIMIT: int = 3
        type Pair[T] = tuple[T, T]

        @decorator(
            argument=1
        )
        class Shop(Base, metaclass=Meta):
            """Sells things. And more."""

            @property
            def total(
                self,
                tax: float = 0.2,
            ) -> float:  # why
                """The sum."""
                def inner(): ...
                return inner()

            async def close(self): pass

        text = "def not_a_function(): pass"
        def broken(:
        def after(): return 1
        ''',
        [
            "variable LIMIT | LIMIT: int = 3 |",
            "type Pair | type Pair[T] = tuple[T, T] |",
            "class Shop | class Shop(Base, metaclass=Meta) | Sells things.",
            "method Shop.total | def total( self, tax: float = 0.2, ) -> float | The sum.",
            "function Shop.total.inner | def inner() |",
            "method Shop.close | async def close(self) |",
            'variable text | text = "def not_a_function(): pass" |',
            "function broken | def broken( |",
            "function after | def after() |",
        ],
        ["os", "sys", ".", "pkg.sub"],
    ),
    "a.js": (
        """
        import def, { x } from './mod.js';
        const fs = require("fs");
        /** Adds two. */
        export function add(a, b) { return a + b }
        export const twice = (n) => n * 2;
        // A shop.
        class Shop extends Base {
          total() { return 1 }
          onClick = () => { this.total() }
          static async *items() {}
        }
        app.use = function use(fn) { return this };
        module.exports.main = () => {};
        """,
        [
            'variable fs | fs = require("fs") |',
            "function add | function add(a, b) | Adds two.",
            "function twice | twice = (n) |",
            "class Shop | class Shop extends Base | A shop.",
            "method Shop.total | total() |",
            "method Shop.onClick | onClick = () |",
            "method Shop.items | static async *items() |",
            "function app.use | app.use = function use(fn) |",
            "function main | module.exports.main = () |",
        ],
        ["./mod.js", "fs"],
    ),
    "a.ts": (
        """
        import type { A } from "./a";
        export * from "./b";
        export interface Shape<T> { area(): number; name: string }
        export type Id = string | number;
        export enum Color { Red, Green }
        export abstract class Base<T> implements Shape<T> {
          abstract area(): number;
          private handler = async (e: Event): Promise<void> => {};
          get name(): string { return "" }
        }
        declare function external(a: number): void;
        namespace Inner { export const deep = () => 1 }
        export const load = async <T,>(url: string): Promise<T> => { return fetch(url) as T };
        """,
        [
            "interface Shape | interface Shape<T> |",
            "method Shape.area | area(): number |",
            "type Id | type Id = string | number; |",
            "enum Color | enum Color |",
            "class Base | abstract class Base<T> implements Shape<T> |",
            "method Base.area | abstract area(): number |",
            "method Base.handler | private handler = async (e: Event): Promise<void> |",
            "method Base.name | get name(): string |",
            "function external | function external(a: number): void; |",
            "module Inner | namespace Inner |",
            "function Inner.deep | deep = () |",
            "function load | load = async <T,>(url: string): Promise<T> |",
        ],
        ["./a", "./b"],
    ),
    "a.tsx": (
        "export const App = (p: Props) => <div>{p.x}</div>;\nfunction Item() { return <li/> }\n",
        ["function App | App = (p: Props) |", "function Item | function Item() |"],
        [],
    ),
    "a.go": (
        """
        package shop
        import (
          "fmt"
          m "math/rand"
        )
        const Limit = 3
        // Shop sells.
        type Shop struct { n int }
        type Seller interface { Sell(n int) error }
        // Sell sells n.
        func (s *Shop) Sell(n int) error { return nil }
        func New[T any](t T) *Shop { return &Shop{} }
        """,
        [
            "constant Limit | Limit = 3 |",
            "struct Shop | Shop struct { n int } | Shop sells.",
            "interface Seller | Seller interface { Sell(n int) error } |",
            "method Seller.Sell | Sell(n int) error |",
            "method Shop.Sell | func (s *Shop) Sell(n int) error | Sell sells n.",
            "function New | func New[T any](t T) *Shop |",
        ],
        ["fmt", "math/rand"],
    ),
    "a.rs": (
        """
        use std::collections::HashMap;
        /// A shop.
        pub struct Shop<T> { items: Vec<T> }
        impl<T> Shop<T> {
            /// Makes one.
            pub fn new() -> Self { Shop { items: vec![] } }
        }
        pub trait Sell { fn sell(&self) -> u32; }
        impl Sell for Shop<u8> { fn sell(&self) -> u32 { 1 } }
        mod inner { pub const N: u32 = 1; }
        macro_rules! shout { () => {} }
        enum State { On, Off }
        """,
        [
            "struct Shop | pub struct Shop<T> | A shop.",
            "method Shop.new | pub fn new() -> Self | Makes one.",
            "trait Sell | pub trait Sell |",
            "method Sell.sell | fn sell(&self) -> u32; |",
            "method Shop.sell | fn sell(&self) -> u32 |",
            "module inner | mod inner |",
            "constant inner.N | pub const N: u32 = 1; |",
            "macro shout | macro_rules! shout { () => {} } |",
            "enum State | enum State |",
        ],
        ["std::collections::HashMap"],
    ),
    "A.java": (
        """
        package shop;
        import java.util.List;
        /** Sells. */
        public class Shop<T> extends Base implements Seller {
          private final int n = 1;
          @Override
          public <R> List<R> sell(T item,
                                  int n) { return null; }
          Shop() {}
          interface Inner { void run(); }
          enum State { ON }
        }
        record Pair(int a, int b) {}
        """,
        [
            "class Shop | public class Shop<T> extends Base implements Seller | Sells.",
            "method Shop.sell | @Override public <R> List<R> sell(T item, int n) |",
            "method Shop.Shop | Shop() |",
            "interface Shop.Inner | interface Inner |",
            "method Shop.Inner.run | void run(); |",
            "enum Shop.State | enum State |",
            "class Pair | record Pair(int a, int b) |",
        ],
        ["java.util.List"],
    ),
    "a.c": (
        """
        #include <stdio.h>
        #include "shop.h"
        #define MAX(a, b) ((a) > (b) ? (a) : (b))
        typedef unsigned int uint;
        struct shop { int n; };
        enum state { ON };
        /* Sells one. */
        static char **sell(struct shop *s,
                           int n) { return 0; }
        int declared(void);
        """,
        [
            "macro MAX | #define MAX(a, b) ((a) > (b) ? (a) : (b)) |",
            "type uint | typedef unsigned int uint; |",
            "struct shop | struct shop |",
            "enum state | enum state |",
            "function sell | static char **sell(struct shop *s, int n) | Sells one.",
            "function declared | int declared(void); |",
        ],
        ["stdio.h", "shop.h"],
    ),
    "a.cpp": (
        """
        #include <vector>
        namespace shop {
        /// Sells.
        template <typename T> class Seller : public Base {
         public:
          explicit Seller(int n);
          virtual std::vector<T>& items() const { return items_; }
          ~Seller() {}
        };
        struct Point { int x; };
        using Id = int;
        }
        int shop::Seller<int>::count() { return 1; }
        """,
        [
            "module shop | namespace shop |",
            "class shop.Seller | class Seller : public Base | Sells.",
            "method shop.Seller.Seller | explicit Seller(int n); |",
            "method shop.Seller.items | virtual std::vector<T>& items() const |",
            "method shop.Seller.~Seller | ~Seller() |",
            "struct shop.Point | struct Point |",
            "type shop.Id | using Id = int; |",
            "method shop.Seller<int>.count | int shop::Seller<int>::count() |",
        ],
        ["vector"],
    ),
}


@pytest.mark.parametrize("path", GOLD)
def test_gold(path: str) -> None:
    source, symbols, imports = GOLD[path]
    facts = parse(path, dedent(source).encode(), language_of(path) or "")

    told = [f"{s.kind} {s.qualified} | {s.signature} | {s.doc}".rstrip() for s in facts.symbols]
    assert told == symbols, "\n".join(told)
    assert [one.module for one in facts.imports] == imports


def test_lines_and_columns_are_those_of_the_definition() -> None:
    text = "# é\n@x\ndef f(\n  a,\n):\n  return a\n\nclass C:\n    def g(self): ...\n".encode()
    f, c, g = parse("a.py", text, "python").symbols

    assert (f.line, f.end_line, f.column) == (3, 6, 0)
    assert (c.line, c.end_line) == (8, 9)
    assert (g.line, g.column, g.qualified) == (9, 4, "C.g")


def test_the_digest_sees_changes_but_not_indentation() -> None:
    f = hash_of(b"def f():\n    return 1", "f")
    assert f == hash_of(b"  def f():\n\n      return 1\n", "f")
    assert f != hash_of(b"def f():\n    return 2", "f")


def test_the_digest_does_not_see_its_own_name() -> None:
    gcd = b"def gcd(a, b):\n    return gcd(b, a % b) if b else a"
    assert hash_of(gcd, "gcd") == hash_of(gcd.replace(b"gcd", b"divisor"), "Math.divisor")
    assert hash_of(gcd, "gcd") != hash_of(gcd.replace(b"return gcd", b"return lcm"), "gcd")


@given(
    st.sampled_from(sorted(languages())),
    st.one_of(
        st.binary(max_size=300), st.sampled_from([g[0] for g in GOLD.values()]).map(str.encode)
    ),
    st.integers(0, 400),
)
def test_no_text_breaks_the_parser(language: str, text: bytes, cut: int) -> None:
    facts = parse("x", text[:cut], language)

    assert len(facts.symbols) == len(facts.bodies)
    assert all(s.line <= s.end_line and s.name for s in facts.symbols)
