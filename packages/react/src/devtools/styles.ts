/**
 * What the panel looks like, for its shadow root. `!important` on the host alone: there a page's own rules would win.
 *
 * Every ink is at least 4.5:1 on every ground.
 */
export const STYLES: string = `
:host{all:initial!important;color-scheme:inherit!important}
.root{
--ground:light-dark(#fff,#191b1c);--side:light-dark(#f4f5f5,#212425);--hover:light-dark(#e9ecec,#2b2f31);
--pick:light-dark(#dcecea,#1d3a38);--line:light-dark(#d9dddd,#373c3e);--ink:light-dark(#1b1f20,#e8ebeb);
--quiet:light-dark(#53595b,#a9b1b3);--accent:light-dark(#0b625d,#62bdb4);--bad:light-dark(#a02c22,#f19c92);
--warn:light-dark(#765000,#dfb266);--model:light-dark(#1a7f78,#4ba69d);--tool:light-dark(#3f66a6,#8aabdf);
--wait:light-dark(#a87b00,#dcb65a);--hook:light-dark(#6c7578,#98a2a5);--check:light-dark(#6e7a1c,#b9c26c);
--retry:light-dark(#c05a24,#e5995f);--compact:light-dark(#8d4b83,#cb90c1);
--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;
font:12px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:var(--ink);text-align:start}
.root[data-scheme=light]{color-scheme:light}.root[data-scheme=dark]{color-scheme:dark}
.root[data-scheme=system]{color-scheme:light dark}
*{box-sizing:border-box}
[hidden]{display:none!important}
h3,p,ol,ul{margin:0;padding:0}ol,ul{list-style:none}h3{font-size:13px;font-weight:600}
code,.number,.time{font-family:var(--mono);font-size:11px}
button,input,select{font:inherit;color:inherit}
button,select,input[type=search],input[type=number]{height:24px;border:1px solid var(--line);border-radius:5px;
background:var(--ground);padding:0 8px}
button{cursor:pointer;white-space:nowrap}button:hover:not(:disabled){background:var(--hover)}
button:disabled{opacity:.45;cursor:default}
:focus-visible{outline:2px solid var(--accent);outline-offset:-2px}
.icon{width:16px;height:16px;fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round;
vertical-align:-3px}
.quiet{color:var(--quiet);font-weight:400}
.empty{padding:20px 16px;color:var(--quiet);max-width:64ch}
.error{margin:8px 12px;padding:8px 10px;border:1px solid var(--bad);border-radius:5px;color:var(--bad);max-width:90ch}
.tag{border:1px solid var(--line);border-radius:9px;padding:0 7px;font-size:11px;white-space:nowrap;background:var(--ground)}
[data-tone=bad]{--tone:var(--bad)}[data-tone=warn]{--tone:var(--warn)}
.tag[data-tone]{color:var(--tone);border-color:var(--tone)}
.launch{position:fixed;z-index:2147483000;width:40px;height:40px;border-radius:20px;padding:0;background:var(--ground);
box-shadow:0 2px 10px rgb(0 0 0/.18)}
.launch .icon{width:22px;height:22px;vertical-align:middle}.launch:focus-visible{outline-offset:2px}
.launch[data-place^=bottom]{bottom:14px}.launch[data-place^=top]{top:14px}
.launch[data-place$=right]{right:14px}.launch[data-place$=left]{left:14px}
.pulse{position:absolute;top:1px;right:1px;width:10px;height:10px;border-radius:5px;background:var(--hook);
border:2px solid var(--ground)}
.pulse[data-status=running],.pulse[data-status=cancelling]{background:var(--model)}
.pulse[data-status=awaiting]{background:var(--wait)}
.panel{position:fixed;z-index:2147483000;display:flex;flex-direction:column;background:var(--ground);
container:panel/inline-size;box-shadow:0 0 16px rgb(0 0 0/.14)}
.panel[data-dock=bottom]{inset:auto 0 0;max-height:90vh;border-top:1px solid var(--line)}
.panel[data-dock=right]{inset:0 0 0 auto;max-width:90vw;border-left:1px solid var(--line)}
.resize{position:absolute;z-index:1;touch-action:none}
.resize:hover,.resize:focus-visible{background:var(--accent);outline:0}
[data-dock=bottom]>.resize{inset:-3px 0 auto;height:6px;cursor:ns-resize}
[data-dock=right]>.resize{inset:0 auto 0 -3px;width:6px;cursor:ew-resize}
.head{display:flex;gap:6px;align-items:center;padding:0 8px;background:var(--side);border-bottom:1px solid var(--line);flex:none}
.head>button{padding:0;width:26px;flex:none}
.tabs{display:flex;align-self:stretch}
.tabs button{height:34px;border:0;border-bottom:2px solid transparent;border-radius:0;background:none;padding:0 10px}
.tabs [aria-selected=true]{border-color:var(--accent);font-weight:600}
.status{display:flex;gap:8px;align-items:center;margin-inline-start:auto;min-width:0;overflow:hidden}
.status .quiet{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.body{flex:1;min-height:0;display:flex;flex-direction:column}
.view{flex:1;min-height:0;display:flex;flex-direction:column}
.bar{display:flex;flex-wrap:wrap;gap:4px 8px;align-items:center;padding:5px 8px;flex:none}
.bar input[type=search]{width:200px;max-width:40%}
.transport{background:var(--side);border-bottom:1px solid var(--line);flex-wrap:wrap}
.transport button{padding:0 5px}.transport button:last-child{padding:0 8px}
.transport input{flex:0 1 180px;min-width:80px;accent-color:var(--accent)}
.transport .words{flex:1;min-width:120px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.picker{display:inline-flex;gap:4px;align-items:center}.picker button{padding:0 3px}
.picker input{width:56px;padding:0 0 0 6px}
.split{flex:1;min-height:0;display:flex;flex-direction:row}
.master{flex:1;min-width:0;min-height:0;display:flex;flex-direction:column}
.list{flex:1;min-height:0;overflow:auto;position:relative;outline-offset:-2px}
.list>div{position:relative;flex:none}
.row{position:absolute;left:0;right:0;height:26px;line-height:26px;cursor:default;overflow:hidden;white-space:nowrap}
.row:hover{background:var(--hover)}.row[aria-selected=true]{background:var(--pick)}
.detail{flex:0 0 min(44%,560px);min-width:0;overflow:auto;border-left:1px solid var(--line);padding:8px 10px;
display:flex;flex-direction:column;gap:6px;overflow-wrap:anywhere}
.detail .bar{padding:0;justify-content:space-between}
.json{font:11px/1.5 var(--mono);white-space:pre-wrap;overflow:auto;background:var(--side);border-radius:5px;
padding:8px;min-height:60px;flex:0 1 auto;tab-size:2;overflow-wrap:anywhere}
.detail>.json{flex:1 1 auto}
.entry{display:flex;gap:10px;padding:0 10px}
.number{width:5ch;text-align:end;color:var(--quiet);flex:none}.time{color:var(--quiet);flex:none}
.type{width:16ch;flex:none;overflow:hidden;text-overflow:ellipsis}
.words{min-width:0;overflow:hidden;text-overflow:ellipsis}
.entry .words{color:var(--quiet)}
.lane,.axis{display:grid;grid-template-columns:minmax(180px,30%) 1fr minmax(120px,30%);gap:10px;padding:0 10px}
.axis{height:20px;line-height:20px;color:var(--quiet);font-size:10px;border-bottom:1px solid var(--line);flex:none}
.axis .ticks{position:relative}.ticks span{position:absolute;padding-inline-start:3px;border-left:1px solid var(--line)}
.name{display:flex;gap:6px;overflow:hidden}.label{overflow:hidden;text-overflow:ellipsis}
.kind{color:var(--quiet);font-size:11px;flex:none}
.track{position:relative;height:26px}
.what{color:var(--quiet);overflow:hidden;text-overflow:ellipsis;font-variant-numeric:tabular-nums}
.lane[data-tone] .what{color:var(--tone)}
.lane{--bar:var(--hook)}
[data-kind=model]{--bar:var(--model)}[data-kind=tool]{--bar:var(--tool)}[data-kind=wait]{--bar:var(--wait)}
[data-kind=check]{--bar:var(--check)}[data-kind=retry]{--bar:var(--retry)}[data-kind=compaction]{--bar:var(--compact)}
[data-kind=iteration] .label{font-weight:600}[data-kind=iteration]{--bar:var(--line)}
.span{position:absolute;top:7px;height:12px;min-width:2px;border-radius:2px;background:var(--bar);overflow:hidden}
[data-kind=iteration] .span{top:11px;height:4px}
[data-kind=save] .span{top:11px;height:5px}
.lane[data-tone=bad] .span,.lane[data-tone=bad] .dot{background:var(--bad)}
.span[data-running]{background-image:repeating-linear-gradient(45deg,transparent 0 5px,rgb(255 255 255/.35) 5px 10px)}
.first{position:absolute;inset:0 auto 0 0;background:rgb(255 255 255/.55)}
.dot{position:absolute;top:9px;width:8px;height:8px;margin-left:-4px;rotate:45deg;background:var(--bar)}
.changes{display:flex;flex-direction:column;gap:8px}
.changes del,.changes ins{display:block;font-family:var(--mono);font-size:11px;text-decoration:none;padding:1px 6px;
border-left:3px solid var(--bad);background:var(--side);margin-top:2px}
.changes ins{border-color:var(--model)}
.path{font-weight:600}
.parts{display:flex;flex-direction:column;gap:2px;border-top:1px solid var(--line);padding-top:6px}
.part{width:100%;text-align:start;overflow:hidden;text-overflow:ellipsis;border-color:transparent}
.scroll{flex:1;min-height:0;overflow:auto;padding:4px 12px 12px}
.messages{display:flex;flex-direction:column;gap:8px;margin-top:6px;max-width:90ch}
.messages p{white-space:pre-wrap;overflow-wrap:anywhere}
@container panel (max-width:640px){
.split{flex-direction:column}.master{flex:1 1 0}.detail{flex:1 1 0;border-left:0;border-top:1px solid var(--line)}
.lane,.axis{grid-template-columns:minmax(120px,45%) 1fr}.lane .what,.axis .what{display:none}
.status .quiet{display:none}.type{width:auto}}
@media (max-width:640px){.panel[data-dock=right]{inset:auto 0 0;width:auto!important;max-width:none;height:60vh}.head>button:not(:last-child){display:none}}
@media (prefers-reduced-motion:no-preference){
.pulse[data-status=running]{animation:pulse 1.2s ease-in-out infinite alternate}@keyframes pulse{to{opacity:.35}}}
@media (forced-colors:active){.span,.dot{background:CanvasText;forced-color-adjust:none}.row[aria-selected=true]{outline:1px solid Highlight}}
`
