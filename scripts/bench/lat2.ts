import { spawn } from "node:child_process"; import { mkdtempSync, writeFileSync } from "node:fs"; import { join } from "node:path"; import { randomBytes } from "node:crypto";
const KEY="sk-bench-key-0123456789-0123456789";
const wait=(c:any,re:RegExp)=>new Promise<string>(r=>{let o="";c.stdout.on("data",(d:any)=>{o+=d;const m=re.exec(o);if(m)r(m[1]!)});c.stderr.on("data",(d:any)=>process.stderr.write(d))});
const p=spawn(process.execPath,["scripts/bench/gateway/provider.ts","100"]); const port=await wait(p,/^(\d+)$/m); const direct=`http://127.0.0.1:${port}`;
const f=mkdtempSync("/tmp/lat-"); const file=join(f,"g.json");
writeFileSync(file,JSON.stringify({version:1,listen:{port:0},keys:[{keyVariable:"BENCH_KEY",agentId:"7"}],upstreams:{provider:{kind:"openai",url:`${direct}/v1`}},models:{m:{upstream:"provider",price:{input:"0.1",output:"0.1"},maxOutputTokens:1000}},budgets:{default:{day:{usdc:"999999"}}},pricesOf:"2027-01-15",classifier:"lite",data:f}),{mode:0o600});
const args = process.env.PROF ? ["--cpu-prof","--cpu-prof-interval=100","--cpu-prof-dir=/tmp/pc/gprof2"] : [];
const g=spawn(process.execPath,[...args,"sdk/cli/main.ts","gateway","--config",file],{env:{...process.env,BENCH_KEY:KEY}}); const url=await wait(g,/^Ready: (\S+)\/v1 /m);
const one=async(u:string)=>{const c="0x"+randomBytes(20).toString("hex");const b=performance.now();const r=await fetch(u+"/v1/chat/completions",{method:"POST",headers:{authorization:`Bearer ${KEY}`,"content-type":"application/json"},body:JSON.stringify({model:"m",stream:true,max_tokens:100,messages:[{role:"user",content:`Pay 5 USDC to ${c} and tell me.`}]})});let first=0;for await(const _ of r.body!) first||=performance.now()-b;return first};
const run=async(u:string,n:number)=>{const t:number[]=[];for(let i=0;i<n;i++)t.push(await one(u));t.sort((a,b)=>a-b);return [t[n>>1],t[Math.floor(n*.9)],t[Math.floor(n*.99)]].map(x=>x!.toFixed(2)).join(" ")};
for(const u of [direct,url,direct,url]){await run(u,100);console.log(u===direct?"direct":"gateway",await run(u,300));}
g.kill("SIGTERM");p.kill(); await new Promise(r=>g.once("exit",r)); process.exit(0);
